/** The least there is on Node without a dependency. */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { endpoint, playRounds, post } from "./rounds.ts";

const agent = new Agent({ keepAlive: true });
const { body, ...options } = post;

playRounds(
  () =>
    new Promise((resolve, reject) => {
      const outgoing = request(endpoint, { ...options, agent }, (reply) =>
        text(reply).then(JSON.parse).then(resolve, reject),
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    }),
);
