import { bareCopy } from "../large-result/copy.ts";

const [select = "", file = "", options = ""] = process.argv.slice(2);
await bareCopy(select, file, options);
