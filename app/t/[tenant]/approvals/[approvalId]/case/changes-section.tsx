'use client'

import Link from 'next/link'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ChangedValues } from '#components/json/changed-values.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { type ReplacedProps, Said, TextForm } from './said.tsx'

// Only the requester sees it, after a review that ended the request.
const Revise = loadedLater(() => import('./revise.tsx').then((module) => module.Revise), { waiting: t.loading })

const isCall = ({ kind }: Approval): boolean => kind === 'tool_call' || kind === 'external_call'

/** For a reviewer who would approve other arguments: ends the request, and says what should change. */
export function RequestChanges({ shown, form, over }: ReplacedProps) {
  const { client } = useApi()
  const act = useAct({
    send: client.approvals.requestChanges.mutate,
    touches: ['approvals'],
    onDone: form.leave,
  })
  if (!isCall(shown)) return null
  if (!form.open)
    return over ? null : (
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
      over={over}
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
            className="text-link inline-flex min-h-6 items-center print:hidden"
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

/** The request before this one, and what differs. */
export function SupersededSection({ shown: { supersedes, erased } }: { shown: Approval }) {
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
        erased={erased.length > 0}
      />
      {changed.length === 0 && <p>{t.contentOfEarlierRequest}</p>}
      <p>
        <Link
          href={approvalPath(tenant, approvalId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center print:hidden"
        >
          {t.openEarlierRequest}
        </Link>
      </p>
    </CustodySection>
  )
}
