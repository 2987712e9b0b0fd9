'use client'

import { CodeField } from '#components/code/code-field.tsx'
import { parseJsonObject } from '#components/json/json-problem.ts'
import * as t from '#components/texts/execution-start/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import type { JsonObject } from '#lib/json.ts'
import type { InputSchema } from '#lib/schemas/manifest.ts'
import { InputFieldControl } from './input-field.tsx'
import { type InputField, inputFrom, keyOf, type Problems, type Texts, textsFor } from './input-fields.ts'

/** What a person has entered: into the fields, or as JSON. */
export type Entered = { as: 'fields'; texts: Texts } | { as: 'json'; text: string }

export type Read = { input: JsonObject; problems: Problems } | { input: undefined; problems: Problems }

/** The input that was entered, with what is wrong with it. */
export function readInput(entered: Entered, fields: readonly InputField[], schema: InputSchema | undefined): Read {
  if (entered.as === 'fields') return inputFrom(fields, entered.texts, schema)
  const parsed = parseJsonObject(entered.text)
  return 'problem' in parsed
    ? { input: undefined, problems: new Map([['', parsed.problem.message]]) }
    : { input: parsed.value, problems: new Map() }
}

type InputFormProps = {
  fields: readonly InputField[]
  entered: Entered
  onChange: (entered: Entered) => void
  /** By field; shown once the form was sent. */
  problems: Problems
  sent: boolean
  readOnly: boolean
}

/** The input as fields, or as JSON where the manifest says too little for fields or the person prefers it. */
export function InputForm({ fields, entered, onChange, problems, sent, readOnly }: InputFormProps) {
  const asJson = entered.as === 'json'
  const parsed = asJson ? parseJsonObject(entered.text) : undefined
  const texts = parsed !== undefined && 'value' in parsed ? textsFor(fields, parsed.value) : undefined
  return (
    <fieldset className="flex flex-col gap-4">
      <div className="flex flex-wrap items-baseline justify-between gap-3">
        <legend className="font-semibold">{t.input}</legend>
        {fields.length > 0 &&
          (asJson ? (
            <Button
              variant="quiet"
              onClick={() => texts !== undefined && onChange({ as: 'fields', texts })}
              disabledReason={texts === undefined ? t.fieldsCantShowAll : undefined}
            >
              {t.enterItInFields}
            </Button>
          ) : (
            <Button variant="quiet" onClick={() => onChange({ as: 'json', text: jsonText(fields, entered.texts) })}>
              {t.enterItAsJson}
            </Button>
          ))}
      </div>
      {asJson ? (
        <CodeField
          label={t.inputAsJson}
          hint={t.jsonObjectWithMembers({ example: '{ "orderId": "A-1002" }' })}
          value={entered.text}
          onChange={(text) => onChange({ as: 'json', text })}
          rows={8}
          problem={
            parsed !== undefined && 'problem' in parsed && (sent || entered.text.trim().length > 3)
              ? parsed.problem
              : undefined
          }
          readOnly={readOnly}
        />
      ) : (
        fields.map((field) => (
          <InputFieldControl
            key={keyOf(field.path)}
            field={field}
            value={entered.texts[keyOf(field.path)] ?? ''}
            onChange={(text) => onChange({ as: 'fields', texts: { ...entered.texts, [keyOf(field.path)]: text } })}
            error={sent ? problems.get(keyOf(field.path)) : undefined}
            readOnly={readOnly}
          />
        ))
      )}
    </fieldset>
  )
}

const jsonText = (fields: readonly InputField[], texts: Texts): string =>
  JSON.stringify(inputFrom(fields, texts, undefined).input, null, 2)
