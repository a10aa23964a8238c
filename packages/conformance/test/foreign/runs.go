// Runs of the query service in Go: their statements, states and pages.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

type run struct {
	id, sql string
	at      time.Time
	polls   int
	columns []string
	rows    [][]any
	tags    object
}

var (
	valuesClause = regexp.MustCompile(`(?s)from \(values (.*)\) as \w+\((.*)\)$`)
	selectClause = regexp.MustCompile(`(?s)^select ('[^']*'|\d+) as (\w+)`)
	literal      = regexp.MustCompile(`'([^']*)'|(\d+)`)
)

// execute knows `select <literal> as <name>` and `select * from (values …) as <name>(<columns>)`.
func execute(sql string) (columns []string, rows [][]any) {
	text, single := sql, selectClause.FindStringSubmatch(sql)
	if named := valuesClause.FindStringSubmatch(sql); named != nil {
		columns, text = strings.Split(strings.ReplaceAll(named[2], " ", ""), ","), named[1]
	} else if single != nil {
		columns, text = single[2:], single[1]
	}
	for index, cell := range literal.FindAllStringSubmatch(text, -1) {
		if columns == nil {
			break
		}
		if index%len(columns) == 0 {
			rows = append(rows, nil)
		}
		var value any = cell[1]
		if cell[2] != "" {
			value = json.Number(cell[2])
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], value)
	}
	return columns, rows
}

func instant(at time.Time) any {
	if fault == 5 {
		return at.Unix()
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

func recordOf(one *run) object {
	one.polls++
	state := []string{"READY", "RUNNING", "SUCCESS"}[min(one.polls, 3)-1]
	record := object{"id": one.id, "sqlStatementId": "s" + one.id, "path": "runs/" + one.id, "tags": one.tags, "userId": "u1", "dataSourceId": "main",
		"createdAt": instant(one.at), "updatedAt": instant(one.at)}
	for _, name := range strings.Fields("fileCount lastFileNumber fileNames errorName errorMessage errorData dataSourceQueryId dataSourceSessionId startedAt queryRunningEndedAt queryStreamingEndedAt endedAt rowCount totalSize archivedAt") {
		record[name] = nil
	}
	if state != "READY" {
		record["startedAt"] = instant(one.at)
	}
	if state == "SUCCESS" && one.columns == nil {
		state, record["errorName"], record["errorMessage"], record["endedAt"] = "FAILED", "SyntaxError", "not understood", instant(one.at)
	} else if state == "SUCCESS" {
		record["rowCount"], record["totalSize"], record["endedAt"] = len(one.rows), "64", instant(one.at)
		if fault == 9 {
			record["totalSize"] = fmt.Sprint(60 + one.polls)
		}
		record["queryRunningEndedAt"], record["queryStreamingEndedAt"] = instant(one.at), instant(one.at)
	}
	record["state"] = "QUERY_STATE_" + state
	return record
}

func create(given object) object {
	sql, tags := given["sql"].(string), or(given["tags"], object{})
	one := &run{id: fmt.Sprint("r", len(runs)+1), sql: sql, at: time.Now(), tags: tags}
	one.columns, one.rows = execute(sql)
	runs[one.id] = one
	hours, minutes := or(given["resultTTLHours"], 0.0), or(given["maxAgeMinutes"], 0.0)
	request := object{"id": "q" + one.id, "queryRunId": one.id, "sqlStatementId": "s" + one.id, "userSkipCache": false, "triggeredQueryRun": true,
		"resultTTLHours": max(1, min(hours, 720)), "maxAgeMinutes": min(minutes, 10080)}
	statement := object{"id": "s" + one.id, "sql": sql, "statementHash": fmt.Sprintf("%x", sha256.Sum256([]byte(sql))), "columnMetadata": nil}
	for _, part := range []object{request, statement} {
		part["userId"], part["tags"], part["createdAt"], part["updatedAt"] = "u1", tags, instant(one.at), instant(one.at)
	}
	return object{"queryRequest": request, "queryRun": recordOf(one), "sqlStatement": statement}
}

func results(one *run, given object) (any, *failure) {
	page := or(given["page"], object{})
	format, number, size, record := or(given["format"], "csv"), or(page["number"], 1.0), or(page["size"], 1000.0), recordOf(one)
	if format != "csv" && format != "json" {
		return nil, &failure{-32153, "No such format", object{"supported": []string{"csv", "json"}}}
	}
	if record["state"] != "QUERY_STATE_SUCCESS" {
		return nil, &failure{-32151, "Not finished", object{"state": record["state"]}}
	}
	total, round := float64(len(one.rows)), math.Ceil
	if fault == 10 {
		round = math.Floor
	}
	pages := 0.0
	if size > 0 {
		pages = round(total / size)
	}
	start := (number - 1) * size
	if fault == 7 {
		start = max(0, start-1)
	}
	rows, types := []any{}, []string{}
	for index, row := range one.rows {
		if float64(index) < start || float64(index) >= start+size {
			continue
		}
		named := object{}
		for column, name := range one.columns {
			named[name] = row[column]
		}
		if rows = append(rows, named); format == "csv" || fault == 8 {
			rows[len(rows)-1] = row
		}
	}
	for column := range one.columns {
		kind := "string"
		if _, isNumber := one.rows[0][column].(json.Number); isNumber {
			kind = "number"
		}
		types = append(types, kind)
	}
	return object{"columnNames": one.columns, "columnTypes": types, "rows": rows, "format": format, "sql": one.sql, "originalQueryRun": record, "redirectedToQueryRun": nil,
		"page": object{"currentPageNumber": number, "currentPageSize": size, "totalRows": total, "totalPages": pages}}, nil
}
