import { EngineLostError, type Source, StatementError } from "@quern/adapter";
import type { Address } from "../store/address.ts";
import { codeOf, isConnectionFailure, isOutage } from "../store/outage.ts";
import { connectionLost, sourceError } from "./failure.ts";

/** Reasons of a refused connection, by SQLSTATE. The texts of PostgreSQL have the name of the role. */
const reasons: Readonly<Record<string, string>> = {
  "28000": "it refuses the user (28000); check the user, and pg_hba.conf of the server",
  "28P01": "it refuses the user or the password (28P01); check the user, and the password of the source",
  "3D000": "the database does not exist (3D000); check the address",
  "42501": "the user may not use the database (42501); grant CONNECT on it",
};

/**
 * Converts an error of the attempt to connect. The message of an `EngineLostError` is for the operator: a caller is told
 * that the data source cannot be reached.
 */
export function connectionError(error: unknown, { name, runAs }: Source, address: Address): unknown {
  if (error instanceof Error && codeOf(error) === "57P03")
    return new EngineLostError(
      `${address.text}: it starts or stops, and accepts no connections yet (57P03); retry later`,
      {
        cause: error,
      },
    );
  if (isConnectionFailure(error)) return connectionLost(error);
  if (!(error instanceof Error) || isOutage(error)) return sourceError(error);
  const code = codeOf(error);
  const isOfUser = error.message.startsWith("SASL") || (code !== undefined && /^(28|42501)/.test(code));
  // The role of one user says nothing about the others, so it must not count as an outage.
  if (runAs === "user" && isOfUser) return denied(name);
  const reason = code === undefined ? withoutCode(error) : (reasons[code] ?? certificateReason(code));
  if (reason === undefined) return sourceError(error);
  return new EngineLostError(`${address.text}: ${reason}`, { cause: error });
}

/** Returns the reason of an error of the client library, which has no code. */
function withoutCode({ message }: Error): string | undefined {
  if (/^SASL.*password must be/.test(message))
    return "it asks for a password; give its file or variable as the password of the source";
  if (message.startsWith("SASL")) return "it does not authenticate by SCRAM as expected; check the address";
  return message.includes("SSL") ? "it does not support TLS; change sslmode in the address" : undefined;
}

function certificateReason(code: string): string | undefined {
  if (!/CERT|ERR_(TLS|SSL)/.test(code)) return undefined;
  return `its certificate is refused (${code}); name the file of its authority in the parameter sslrootcert`;
}

function denied(name: string): StatementError {
  return new StatementError({
    name: "AccessDenied",
    message: `The data source ${name} cannot be reached in the name of the user: PostgreSQL refuses the user.`,
    data: { category: "DATA_SOURCE", engine: "postgres", retryable: false },
  });
}
