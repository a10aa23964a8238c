import type { Client } from "@quern/client";
import { useQueryClient } from "@tanstack/vue-query";
import { defineComponent, hasInjectionContext, type InjectionKey, inject, onMounted, onUnmounted, provide } from "vue";
import { withdrawOnPageHide } from "#query-options/page-hide";

const clientKey: InjectionKey<Client> = /*@__PURE__*/ Symbol();

/** Provides a client to the components below it. The app needs the `VueQueryPlugin`. For another client, render another provider. */
export const QuernProvider = /*@__PURE__*/ defineComponent(
  ({ client }: { readonly client: Client }, { slots }) => {
    const queryClient = useQueryClient();
    provide(clientKey, client);
    let stop: () => void;
    onMounted(() => {
      stop = withdrawOnPageHide(client, queryClient);
    });
    onUnmounted(() => stop());
    return () => slots["default"]?.();
  },
  { name: "QuernProvider", props: ["client"] },
);

/**
 * Returns the client of the nearest `QuernProvider`.
 * @throws {Error} if it is called outside `setup()`, or if there is no `QuernProvider` above the component.
 */
export function useClient(): Client {
  if (!hasInjectionContext()) throw new Error("useClient: called outside setup(); call it there");
  const client = inject(clientKey, undefined);
  if (!client) throw new Error("useClient: no QuernProvider above; add one");
  return client;
}
