/** The methods of the client in a module of their own, so that the file that starts has only those that it calls. */
export * from "@quern/client";
