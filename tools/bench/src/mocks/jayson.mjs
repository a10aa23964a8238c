import jayson from "jayson";
import { reportCpu } from "./cpu-reporter.mjs";
import { methods } from "./examples.mjs";

const server = new jayson.Server(
  Object.fromEntries(
    methods.map(({ name, answer }) => [
      name,
      (params, done) => {
        try {
          done(null, answer(params));
        } catch (error) {
          done(error);
        }
      },
    ]),
  ),
).http();
server.listen(0, "127.0.0.1", () => reportCpu(`http://127.0.0.1:${server.address().port}/json-rpc`));
