/// <reference types="vite/client" />

interface ImportMetaEnv {
  /** Name of the page. */
  readonly VITE_PANELS?: string;
}
