interface SearchFieldProps {
  /** Name of the field, which is also shown while it is empty. */
  readonly label: string;
  readonly value: string;
  readonly maxLength: number;
  readonly onChange: (value: string) => void;
}

/** Field of a side panel for the text that its list is searched for. */
export function SearchField({ label, value, maxLength, onChange }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      maxLength={maxLength}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
