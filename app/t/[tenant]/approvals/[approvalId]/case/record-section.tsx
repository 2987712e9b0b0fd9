'use client'

import Link from 'next/link'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { failureText } from '#components/session/failure-text.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { Seal, type SealState } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { auditRecordPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Answers } from '#lib/trpc.ts'
import type { DecisionControl } from '../decision/use-decision.ts'
import { Votes } from './votes.tsx'

type Verification = Answers['traces']['verify']

/** Before the decision: what will be recorded. Afterwards: the record, and whether it is sealed and verified. */
export function RecordSection({ decision, shown }: { decision: DecisionControl; shown: Approval }) {
  const { client } = useApi()
  const { tenant, can } = useSession()
  const { votes, seal, auditId, status, decidedAt } = shown
  const verify = useAct({ send: (id: string) => client.traces.verify.query({ tenant, auditId: id }), touches: [] })
  const own = decision.view.is === 'recorded' ? decision.view.record : undefined
  const pending = status === 'pending'
  const undecided = status === 'canceled' || status === 'expired'
  if (pending && own === undefined)
    return (
      <CustodySection
        title={decision.view.is === 'expired' ? t.theDecision : t.yourDecision}
        note={t.notRecordedYet}
        seal="unsealed"
      >
        <p className="text-ink-2">{decision.view.is === 'expired' ? t.noOneDecidedIn : t.yourDecisionWillBe}</p>
      </CustodySection>
    )
  const last = own?.auditId ?? auditId ?? votes.at(-1)?.auditId
  const state = sealOf(last === auditId ? seal : 'pending', verify.output)
  return (
    <CustodySection
      title={own !== undefined ? t.yourDecision : undecided ? t.howItEnded : t.theDecision}
      note={t.recordedNote}
      seal={state}
    >
      <Votes shown={shown} />
      <KeyValues>
        {undecided && decidedAt !== null && (
          <KeyValue name={t.notDecided}>
            <ShownText>{endOf(shown)}</ShownText> <Time at={decidedAt} />.{' '}
            {status === 'canceled' && shown.changes === null && shown.canceled === undefined && t.auditRecordNamesWho}
          </KeyValue>
        )}
        {shown.changes === null && shown.canceled?.reason != null && (
          <KeyValue name={t.reason}>
            <span className="wrap-anywhere">
              <ShownText>{shown.canceled.reason}</ShownText>
            </span>
          </KeyValue>
        )}
        {last !== undefined && (
          <KeyValue name={t.record}>
            <span className="flex flex-wrap items-center gap-x-3">
              <Copyable value={last} label={t.auditRecordId} />
              {can('audit:read') && (
                <Link
                  href={auditRecordPath(tenant, last)}
                  prefetch={false}
                  className="text-link inline-flex min-h-6 items-center print:hidden"
                >
                  {t.openAuditRecord}
                </Link>
              )}
            </span>
          </KeyValue>
        )}
        <KeyValue name={t.seal}>
          <span role="status" className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
            <Seal state={state} label={state === 'unsealed' ? t.notSealedYetTodays : undefined} />
          </span>
          {verify.output?.status === 'pending_seal' && <p>{t.notSealedYetNo}</p>}
          {verify.failure !== undefined && (
            <p className="text-danger">{t.recordCouldNotBe({ message: failureText(verify.failure) })}</p>
          )}
          {last !== undefined && can('trace:verify') && state !== 'verified' && (
            <div className="pt-1.5">
              <Button onClick={() => verify.run(last)} busyLabel={verify.pending ? t.verifying : undefined}>
                {t.verifyThisRecord}
              </Button>
            </div>
          )}
        </KeyValue>
      </KeyValues>
      {(own !== undefined || !undecided) && <p className="text-ink-2">{t.decisionCantBeUndone}</p>}
    </CustodySection>
  )
}

function sealOf(seal: Approval['seal'], verification: Verification | undefined): SealState {
  if (verification?.status === 'verified') return 'verified'
  if (verification?.status === 'mismatch') return 'mismatch'
  return seal === 'sealed' ? 'sealed' : 'unsealed'
}

function endOf({ status, changes, canceled }: Approval): string {
  if (status === 'expired') return t.itExpired
  if (changes !== null) return t.requestedChanges({ by: changes.by.displayName })
  // A server of the version before does not say who.
  if (canceled === undefined) return t.itWasCanceled
  const { kind, displayName } = canceled.by
  return kind === 'agent' || kind === 'system' ? t.itEndedWithExecution : t.itWasCanceledBy({ by: displayName })
}
