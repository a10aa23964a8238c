import jayson from "jayson";
import { methods } from "./examples.mjs";
import { told } from "./told.mjs";

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
server.listen(0, "127.0.0.1", () => told(`http://127.0.0.1:${server.address().port}/json-rpc`));
