'use client'

import { SelectField } from '#components/forms/select-field.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-grant/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
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
        label={t.atMostForEach({ shownName, currency: currency ?? '' })}
        inputMode="decimal"
        value={rule.text}
        onChange={({ target }) => onChange({ is: 'amount', text: target.value })}
      />
    )
  const isCurrency = name === 'currency'
  const options = [
    { value: 'equal', label: masked ? t.sameAsHereMasked : t.exactly({ value: visibleText(JSON.stringify(value)) }) },
    ...(text && !isCurrency ? [{ value: 'like', label: t.likePattern }] : []),
    ...(isCurrency ? [] : [{ value: 'any', label: t.anyValue }]),
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
          label={t.patternFor({ shownName })}
          hint={t.isAnyTextHere({ value: String(value), shown: shownText })}
          value={rule.text}
          maxLength={limits.grantPattern}
          onChange={({ target }) => onChange({ is: 'like', text: target.value })}
        />
      )}
    </div>
  )
}
