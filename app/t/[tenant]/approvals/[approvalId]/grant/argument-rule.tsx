'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { limits } from '#lib/limits.ts'
import { visibleText } from '#lib/text/visible-text.ts'
import type { Answers } from '#lib/trpc.ts'
import type { DraftRule } from './terms.ts'

type Argument = Answers['approvals']['previewGrant']['arguments'][number]

type ArgumentRuleProps = {
  argument: Argument
  /** For the argument that has the amount. */
  currency: string | undefined
  rule: DraftRule | undefined
  onChange: (rule: DraftRule) => void
}

/** What calls may have in one argument. */
export function ArgumentRule({ argument, currency, rule, onChange }: ArgumentRuleProps) {
  const { argument: name, value, masked, text } = argument
  const shownName = visibleText(name)
  if (rule === undefined) return null
  if (rule.is === 'amount')
    return (
      <TextField
        label={`${shownName}, at most for each call, ${currency}`}
        inputMode="decimal"
        value={rule.text}
        onChange={({ target }) => onChange({ is: 'amount', text: target.value })}
      />
    )
  const isCurrency = name === 'currency'
  const options = [
    { value: 'equal', label: masked ? 'the same as here (masked)' : `exactly ${visibleText(JSON.stringify(value))}` },
    ...(text && !isCurrency ? [{ value: 'like', label: 'like a pattern' }] : []),
    ...(isCurrency ? [] : [{ value: 'any', label: 'any value' }]),
  ]
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <SelectField
        label={shownName}
        value={rule.is}
        onChange={(is) => onChange({ ...rule, is: is as DraftRule['is'] })}
        options={options}
        placeholder=""
      />
      {rule.is === 'like' && (
        <TextField
          label={`Pattern for ${shownName}`}
          hint={
            <>
              * is any text. Here: <ShownText>{String(value)}</ShownText>
            </>
          }
          value={rule.text}
          maxLength={limits.grantPattern}
          onChange={({ target }) => onChange({ is: 'like', text: target.value })}
        />
      )}
    </div>
  )
}
