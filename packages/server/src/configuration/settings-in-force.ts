import { limitTable } from "../generated/limits.ts";
import { settings } from "./setting.ts";
import type { Configuration } from "./table.ts";

/** A setting, and the value that a server started now would have. */
export interface SettingInForce {
  readonly name: string;
  /** Environment variable of the setting. */
  readonly variable: string;
  /** JSON value; words where the default is no value; null where nothing is set and there is no default. */
  readonly value: unknown;
  readonly isSet: boolean;
  readonly unit: string | null;
  readonly text: string | null;
}

interface LimitWords {
  readonly text: string;
  readonly unit: string;
  readonly default?: number;
  readonly defaultText?: string;
}

const limits: Readonly<Record<string, LimitWords>> = Object.fromEntries(
  Object.entries(limitTable).map(([name, limit]) => [`limits.${name}`, limit]),
);

/** Every setting, in the order of the reference. */
export function settingsInForce(configuration: Configuration): readonly SettingInForce[] {
  return settings.map(({ name, path, variable }) => {
    const set = valueAt(configuration, path);
    const limit = limits[name];
    return {
      name,
      variable,
      value: set ?? limit?.defaultText ?? limit?.default ?? null,
      isSet: set !== undefined,
      unit: limit?.unit ?? null,
      text: limit?.text ?? null,
    };
  });
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return typeof value === "object" && value !== null ? valueAt(Reflect.get(value, name), rest) : undefined;
}
