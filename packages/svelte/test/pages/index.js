export { mount, unmount } from "svelte";
export { default as Cars } from "./cars.svelte";
export { default as Methods } from "./methods.svelte";
export { default as Page } from "./page.svelte";
export { default as Panel } from "./panel.svelte";
export { default as Year } from "./year.svelte";
