#!/usr/bin/env node
import { main } from "@quern/cli/main";

await main(process.argv.slice(2), process);
