import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import type { InputField } from './input-fields.ts'

type InputFieldControlProps = {
  field: InputField
  value: string
  onChange: (value: string) => void
  error: string | undefined
  readOnly: boolean
}

/** One value of the input, by its kind. */
export function InputFieldControl({ field, value, onChange, error, readOnly }: InputFieldControlProps) {
  const { kind, format, choices, required } = field
  const label = required ? field.label : `${field.label} (optional)`
  const shared = { label, hint: field.hint, error }
  if (kind === 'choice' || kind === 'boolean') {
    const options = (kind === 'boolean' ? ['true', 'false'] : choices.map(String)).map((one) => ({
      value: one,
      label: kind === 'boolean' ? (one === 'true' ? t.yes : t.no) : one,
    }))
    return (
      <SelectField
        {...shared}
        value={value}
        onChange={(chosen) => onChange(chosen === none ? '' : chosen)}
        placeholder={t.chooseValue}
        options={required || value === '' ? options : [{ value: none, label: t.noValue }, ...options]}
      />
    )
  }
  if (kind === 'json')
    return (
      <TextArea
        {...shared}
        hint={field.hint ?? t.jsonValueTextIn}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        readOnly={readOnly}
        aria-required={required}
      />
    )
  return (
    <TextField
      {...shared}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      readOnly={readOnly}
      aria-required={required}
      type={format === 'date' ? 'date' : 'text'}
      inputMode={kind === 'number' || format === 'decimal' ? 'decimal' : format === 'email' ? 'email' : undefined}
      autoComplete="off"
    />
  )
}

/** The value of a select for a field that is left out. */
const none = ' '
