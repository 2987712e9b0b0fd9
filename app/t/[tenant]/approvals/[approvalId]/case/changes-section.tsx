'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { ChangedValues } from '#components/json/changed-values.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { JsonValue } from '#lib/json.ts'
import { approvalPath } from '#lib/paths.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { countHidden } from '#lib/text/visible-text.ts'
import { Said, TextForm, useReplaced } from './said.tsx'

const isCall = ({ kind }: Approval): boolean => kind === 'tool_call' || kind === 'external_call'

/** For a reviewer who would approve other arguments: ends the request, and says what should change. */
export function RequestChanges({ shown }: { shown: Approval }) {
  const { client } = useApi()
  const form = useReplaced()
  const act = useAct({ send: client.approvals.requestChanges.mutate, touches: ['approvals'] })
  if (!isCall(shown)) return null
  if (!form.open)
    return (
      <Button ref={form.button} onClick={form.enter}>
        {t.openRequestChanges}
      </Button>
    )
  const { approvalId, revision, requestedBy } = shown
  return (
    <TextForm
      label={t.whatShouldChange}
      hint={t.thisEndsRequestCan({ requestedBy: requestedBy.displayName, shown: shownText })}
      button={t.requestChanges}
      busy={t.requestingChanges}
      notDone={t.requestForChangesWas}
      act={act}
      send={(reason) => act.run({ approvalId, reason, expectedRevision: revision })}
      leave={form.leave}
    />
  )
}

/** What a reviewer wanted changed, which ended this request, and what followed. */
export function ChangesSection({ shown }: { shown: Approval }) {
  const { tenant } = useSession()
  const { changes, kind } = shown
  if (changes === null) return null
  const { by, reason, at, nextId, mayRevise, until } = changes
  return (
    <CustodySection title={t.changesRequested}>
      <Said by={by.displayName} at={at} text={reason} />
      {nextId !== null ? (
        <p>
          <Link
            href={approvalPath(tenant, nextId)}
            prefetch={false}
            className="text-link inline-flex min-h-6 items-center"
          >
            {t.openRequestWithOther}
          </Link>
        </p>
      ) : mayRevise && kind === 'tool_call' ? (
        <Revise shown={shown} />
      ) : (
        <p className="text-ink-2">
          {t.otherArgumentsCanBe({ byAgent: String(Boolean(mayRevise)), at: () => <Time at={until} /> })}
        </p>
      )}
    </CustodySection>
  )
}

type Editable = ArgumentView & { value: string | number | boolean }

const isEditable = (row: ArgumentView): row is Editable =>
  !/[.[]/.test(row.path) && ['string', 'number', 'boolean'].includes(typeof row.value)

/** The arguments that are one value each, to be changed. The rest stays as it is. */
function Revise({ shown }: { shown: Approval }) {
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

/** The request before this one, and what differs. */
export function SupersededSection({ shown: { supersedes } }: { shown: Approval }) {
  const { tenant } = useSession()
  if (supersedes === null) return null
  const { approvalId, by, at, reason, changed } = supersedes
  return (
    <CustodySection title={t.changedAfterReview}>
      <Said by={by.displayName} at={at} text={reason} />
      <ChangedValues
        caption={t.argumentsThatDifferFrom}
        names={{ value: t.argument, before: t.before, after: t.now }}
        rows={changed}
      />
      {changed.length === 0 && <p>{t.contentOfEarlierRequest}</p>}
      <p>
        <Link
          href={approvalPath(tenant, approvalId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center"
        >
          {t.openEarlierRequest}
        </Link>
      </p>
    </CustodySection>
  )
}
