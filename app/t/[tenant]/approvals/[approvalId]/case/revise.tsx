'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import * as t from '#components/texts/approval-revise/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { JsonValue } from '#lib/json.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden } from '#lib/text/visible-text.ts'

type Editable = ArgumentView & { value: string | number | boolean }

const isEditable = (row: ArgumentView): row is Editable =>
  !/[.[]/.test(row.path) && ['string', 'number', 'boolean'].includes(typeof row.value)

/** The arguments that are one value each, to be changed. The rest stays as it is. */
export function Revise({ shown }: { shown: Approval }) {
  const { client } = useApi()
  const rows = shown.presentation.arguments
  const editable = rows.filter(isEditable)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const act = useAct({ send: client.approvals.revise.mutate, touches: ['approvals', 'executions'] })
  const changes = Object.fromEntries(
    editable.flatMap((row) => {
      const text = texts[row.path]
      return text === undefined || text === String(row.value) ? [] : [[row.path, typedAs(row.value, text)]]
    }),
  )
  return (
    <form
      className="flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        act.run({ approvalId: shown.approvalId, changes })
      }}
    >
      <p>{t.proposeOtherArgumentsUntil({ at: () => <Time at={shown.changes?.until ?? shown.expiresAt} /> })}</p>
      <div className="grid w-full gap-3 narrow:grid-cols-2">
        {editable.map(({ path, value }) => {
          const text = texts[path] ?? String(value)
          return (
            <TextField
              key={path}
              label={<ShownText>{path}</ShownText>}
              hint={countHidden(text, { edges: true }) > 0 && <MarkedText>{text}</MarkedText>}
              value={text}
              readOnly={act.pending}
              onChange={(event) => setTexts({ ...texts, [path]: event.target.value })}
            />
          )
        })}
      </div>
      {editable.length < rows.length && (
        <p className="text-ink-2">{t.maskedArguments({ count: rows.length - editable.length })}</p>
      )}
      {act.failure !== undefined && (
        <NotDone failure={act.failure} title={t.newRequestWasNot} ifUnknown={t.reloadThisPageTo} />
      )}
      <Button
        type="submit"
        disabledReason={Object.keys(changes).length === 0 ? t.changeArgumentFirst : undefined}
        busyLabel={act.pending ? t.proposing : undefined}
      >
        {t.proposeTheseArguments}
      </Button>
    </form>
  )
}

/** What an input can't show: characters that are invisible, or pass for others. */
const MarkedText = ({ children }: { children: string }) => (
  <>{t.containsHiddenOrLook({ children, shownText: (content) => <ShownText edges>{String(content)}</ShownText> })}</>
)

/** What can't be read as the type of the argument is sent as text, which the service refuses with a reason. */
function typedAs(before: Editable['value'], text: string): JsonValue {
  if (typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
