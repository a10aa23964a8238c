import { EMPTY_FIELD, faultOf, PARAMETER_TYPES, type ParameterField, type ParameterFields } from "./parameter.ts";

interface ParameterFieldsProps {
  readonly names: readonly string[];
  readonly fields: ParameterFields;
  readonly onChange: (fields: ParameterFields) => void;
}

/** Inputs for the values of the parameters of a statement. */
export function ParameterInputs({ names, fields, onChange }: ParameterFieldsProps) {
  if (names.length === 0) return null;
  return (
    <fieldset className="parameters">
      <legend>Parameters</legend>
      {names.map((name) => (
        <ParameterInput
          key={name}
          name={name}
          field={fields[name] ?? EMPTY_FIELD}
          onChange={(field) => onChange({ ...fields, [name]: field })}
        />
      ))}
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
        <span>{`$${name}`}</span>
        <input
          value={field.text}
          disabled={field.type === "null"}
          aria-invalid={fault !== undefined}
          title={fault}
          spellCheck={false}
          onChange={({ target }) => onChange({ ...field, text: target.value })}
        />
      </label>
      <select
        aria-label={`Type of $${name}`}
        value={field.type}
        onChange={({ target }) =>
          onChange({ ...field, type: PARAMETER_TYPES.find((type) => type === target.value) ?? "text" })
        }
      >
        {PARAMETER_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
    </span>
  );
}
