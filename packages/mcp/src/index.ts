export { createMcpHttp, type McpHttp } from "./http.ts";
export { createMcpServer, type McpCaller, methodsOfTool, toolNames } from "./mcp-server.ts";
export { CallFailure, type FailureDetails, type Service } from "./service.ts";
export { type McpStdioOptions, serveMcpStdio } from "./stdio.ts";
