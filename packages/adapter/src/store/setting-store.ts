/** Small records of the service that all its servers share: JSON texts by name. */
export interface SettingStore {
  /** Returns the text of a setting. One that has none gets the given text; callers at the same time all get the first one. */
  getOrCreate(name: string, text: string): Promise<string>;
  /** Replaces the text of a setting, or gives it its first one. */
  set(name: string, text: string): Promise<void>;
}
