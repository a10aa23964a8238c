import {
  EMPTY_FIELD,
  faultOf,
  labelOf,
  PARAMETER_TYPES,
  type ParameterField,
  type ParameterFields,
  withType,
} from "./parameter.ts";

/** More fields would slow down typing. */
const MAX_FIELDS = 100;
/** Types of the browser's own fields. */
const INPUT_TYPES: Readonly<Record<string, string>> = { date: "date", timestamp: "datetime-local" };

interface ParameterFieldsProps {
  readonly names: readonly string[];
  readonly fields: ParameterFields;
  readonly onChange: (fields: ParameterFields) => void;
  /** Called when Enter is pressed in a field. */
  readonly onRun: () => void;
}

/** Inputs for the values of the parameters of a statement. */
export function ParameterInputs({ names, fields, onChange, onRun }: ParameterFieldsProps) {
  if (names.length === 0) return null;
  return (
    <fieldset
      className="parameters"
      onKeyDown={({ key, target }) => {
        if (key === "Enter" && target instanceof HTMLInputElement) onRun();
      }}
    >
      <legend>Parameters</legend>
      {names.slice(0, MAX_FIELDS).map((name) => (
        <ParameterInput
          key={name}
          name={name}
          field={fields[name] ?? EMPTY_FIELD}
          onChange={(field) => onChange({ ...fields, [name]: field })}
        />
      ))}
      {names.length > MAX_FIELDS && <p>{`Only the first ${MAX_FIELDS} of ${names.length} parameters have a field.`}</p>}
    </fieldset>
  );
}

interface ParameterInputProps {
  readonly name: string;
  readonly field: ParameterField;
  readonly onChange: (field: ParameterField) => void;
}

function ParameterInput({ name, field, onChange }: ParameterInputProps) {
  const fault = faultOf(field);
  return (
    <span className="parameter">
      <label>
        <span>{labelOf(name)}</span>
        <input
          type={INPUT_TYPES[field.type] ?? "text"}
          step={field.type === "timestamp" ? 1 : undefined}
          value={field.text}
          disabled={field.type === "null"}
          aria-invalid={fault !== undefined}
          title={fault}
          spellCheck={false}
          onChange={({ target }) => onChange({ ...field, text: target.value })}
        />
      </label>
      <select
        aria-label={`Type of ${labelOf(name)}`}
        value={field.type}
        onChange={({ target }) =>
          onChange(withType(field, PARAMETER_TYPES.find((type) => type === target.value) ?? "text"))
        }
      >
        {PARAMETER_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </span>
  );
}
