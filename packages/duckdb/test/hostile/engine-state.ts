/** Lists everything that a statement can find of earlier ones, as rows of one text. The gate would refuse it. */
export const engineState = `
-- This comment names current_query so that the service sets its variable in each run.
select 'setting ' || name || '=' || coalesce(value, '') as state from system.main.duckdb_settings()
  -- This statement is large at times, and then has all threads.
  where name not in ('threads', 'worker_threads', 'write_buffer_row_group_memory_limit')
union all select 'database ' || database_name || coalesce(path, '') from system.main.duckdb_databases()
union all select 'attached ' || database_name from system.main.pragma_database_size()
union all select 'search path ' || current_setting('search_path') || current_schema()
union all select 'schema ' || database_name || '.' || schema_name from system.main.duckdb_schemas()
union all select 'table ' || database_name || '.' || table_name from system.main.duckdb_tables()
union all select 'view ' || database_name || '.' || view_name from system.main.duckdb_views() where not internal
union all select 'sequence ' || database_name || '.' || sequence_name from system.main.duckdb_sequences()
union all select 'type ' || database_name || '.' || type_name from system.main.duckdb_types() where not internal
union all select 'function ' || database_name || '.' || function_name || coalesce(macro_definition, '')
  from system.main.duckdb_functions() where not internal
union all select 'prepared ' || name from system.main.duckdb_prepared_statements()
union all select 'variable ' || name || case name when 'quern_statement' then '' else value end from system.main.duckdb_variables()
union all select 'secret ' || name from system.main.duckdb_secrets()
union all select 'log ' || message from system.main.duckdb_logs()
union all select 'file ' || file from system.main.glob('out/**') where file not like '%result.parquet'
order by all`;
