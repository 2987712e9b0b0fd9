'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { ExpiryTag } from '#components/approvals/expiry.tsx'
import { programName } from '#components/approvals/program.ts'
import { approvalShape } from '#components/approvals/view.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PageHeader } from '#components/layout/page.tsx'
import { ErasedNotice } from '#components/page/erased-notice.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { CustodyLine } from '#components/ui/status/custody-line.tsx'
import { RiskBars } from '#components/ui/status/risk-bars.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { approvalsPath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { DecisionControl } from '../decision/use-decision.ts'
import { HistorySection } from '../history/history-section.tsx'
import { RepeatWarning } from '../history/repeat-warning.tsx'
import type { Neighbours } from '../use-neighbours.ts'
import { ArgumentsSection } from './arguments-section.tsx'
import { CardSection } from './card-section.tsx'
import { ChangesSection, SupersededSection } from './changes-section.tsx'
import { EffectsSection } from './effects-section.tsx'
import { titleNow } from './outcome.ts'
import { OutcomeSection } from './outcome-section.tsx'
import { QuestionsSection } from './questions-section.tsx'
import { ReasonsSection } from './reasons-section.tsx'
import { RecordSection } from './record-section.tsx'
import { ReleasePolicies } from './release-policies.tsx'
import { TraceSection } from './trace-section.tsx'
import { useOutcome } from './use-outcome.ts'

type CaseFileProps = { decision: DecisionControl; shown: Approval; neighbours: Neighbours }

/**
 * The request in reading order: what became of it, what is known about the object, its effects and arguments, what was decided
 * before, the rule that requires a person, what led to it, the decision.
 */
export function CaseFile({ decision, shown, neighbours }: CaseFileProps) {
  const { tenant } = useSession()
  const { outcome } = useOutcome(shown)
  return (
    <>
      <PageHeader
        title={<ShownText>{titleNow(shown, outcome)}</ShownText>}
        crumbs={[{ label: t.approvals, href: approvalsPath(tenant, { view: neighbours.view }) }]}
        id={<Copyable value={shown.approvalId} label={t.approvalId} shorten="middle" />}
        aside={
          <Position neighbours={neighbours} waits={shown.status === 'pending' && decision.view.is !== 'expired'} />
        }
        facts={<Facts shown={shown} />}
      />
      <ErasedNotice erased={shown.erased} />
      <RepeatWarning shown={shown} />
      <CustodyLine>
        <OutcomeSection shown={shown} />
        <ChangesSection shown={shown} />
        <SupersededSection shown={shown} />
        <CardSection shown={shown} />
        <QuestionsSection shown={shown} expired={decision.view.is === 'expired'} />
        <EffectsSection
          shown={shown}
          expired={decision.view.is === 'expired'}
          digest={decision.shownDigest}
          outcome={outcome}
        />
        <ArgumentsSection shown={shown} expanded={decision.expanded} expand={decision.expand} />
        <ReleasePolicies shown={shown} />
        <HistorySection shown={shown} />
        <ReasonsSection shown={shown} expired={decision.view.is === 'expired'} />
        <TraceSection shown={shown} />
        <RecordSection decision={decision} shown={shown} />
      </CustodyLine>
    </>
  )
}

function Facts({ shown }: { shown: Approval }) {
  const { status, risk, expiresAt, requestedBy, requestedAt, environment, presentation, clock, program } = shown
  const shape = approvalShape(status)
  return (
    <>
      <RiskBars level={risk} boxed />
      {status === 'pending' ? (
        <ExpiryTag at={expiresAt} stopped={clock.stopped !== null} />
      ) : (
        <StatusShape status={shape.status} label={shape.label} boxed />
      )}
      {presentation.agent !== null && (
        <span>
          {t.agent({
            agent: presentation.agent.displayName,
            shown: shownText,
            strong: (content) => <strong>{content}</strong>,
            version: presentation.agent.version,
          })}
        </span>
      )}
      <span>
        {t.requestedByTime({
          requestedBy: requestedBy.displayName,
          account: requestedBy.kind,
          by: program?.kind === 'client' && program.name !== null ? 'named' : (program?.kind ?? 'none'),
          program: program === undefined ? '' : programName(program),
          shown: shownText,
          strong: (content) => <strong>{content}</strong>,
          at: () => <Time at={requestedAt} show="relative" />,
        })}
      </span>
      {environment !== null && (
        <span>{t.environment({ environment, shown: shownText, strong: (content) => <strong>{content}</strong> })}</span>
      )}
    </>
  )
}

type PositionProps = { neighbours: Neighbours; waits: boolean }

/** A request that no longer waits has left the list of those that do, and its place there. The ways to the others stay. */
function Position({ neighbours: { view, position, total, next, previous }, waits }: PositionProps) {
  if (total === 0 || (position === undefined && next === undefined)) return null
  return (
    <span className="flex items-center gap-x-3 print:hidden">
      {position !== undefined && (waits || view === 'decided') && <span>{t.positionOf({ position, total })}</span>}
      <Neighbour href={next} shortcut="J">
        {t.next}
      </Neighbour>
      <Neighbour href={previous} shortcut="K">
        {t.previous}
      </Neighbour>
    </span>
  )
}

function Neighbour({ href, shortcut, children }: { href: string | undefined; shortcut: string; children: ReactNode }) {
  if (href === undefined) return null
  return (
    <Link href={href} prefetch={false} className="inline-flex min-h-6 items-center gap-1.5 hover:underline">
      <span aria-hidden="true" className="inline-flex">
        <Kbd>{shortcut}</Kbd>
      </span>
      {children}
    </Link>
  )
}
