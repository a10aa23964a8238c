import { createClient } from "@quern/client";
import { queryResultsOptions } from "@quern/react";
import { dehydrate, QueryClient } from "@tanstack/react-query";
import { cookies } from "next/headers";
import { callService } from "../lib/service";
import { cookie, userOf } from "../lib/session";
import { Dashboard } from "./dashboard";
import { panels } from "./panels";

export default async function Page() {
  const user = await userOf((await cookies()).get(cookie.name)?.value);
  if (!user) {
    return (
      <form action="/login" method="post">
        <input name="user" /> <button type="submit">Sign in</button>
      </form>
    );
  }
  const url = process.env["PAGE_URL"] ?? "";
  const client = createClient({
    url,
    cacheScope: user,
    fetch: (_url, { body, signal }) => callService(body, signal),
  });
  const queryClient = new QueryClient();
  await Promise.all(panels.map(({ query }) => queryClient.prefetchQuery(queryResultsOptions(client, query))));
  return <Dashboard url={url} user={user} state={dehydrate(queryClient)} />;
}
