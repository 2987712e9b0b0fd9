'use client'

import type { ReactNode } from 'react'
import { shownText } from '#components/language/shown-text.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { Tag } from '#components/ui/status/tag.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Approval } from '#lib/schemas/approvals.ts'
import { DECIDED } from '../words.tsx'
import { Names } from './names.tsx'
import { ClockLines, StagesList } from './stages-list.tsx'

// Only operators see it.
const NotifiedByMail = loadedLater(() => import('./notified-by-mail.tsx').then((module) => module.NotifiedByMail), {
  waiting: t.loading,
})

/** The rule that requires an approval, the people who can give it, and how many of them it needs. */
export function ReasonsSection({ shown, expired }: { shown: Approval; expired: boolean }) {
  // The delivery of mails is a matter of operators.
  const { can } = useSession()
  const { quorum, approvalsSoFar, group, groupMembers, votes, escalationLevel } = shown
  return (
    <CustodySection
      title={
        shown.status === 'pending' && shown.blocked === null && !expired ? t.whyThisNeedsYou : t.whyThisNeedsPerson
      }
    >
      <KeyValues>
        <KeyValue name={t.policy}>
          <Policy policy={shown.presentation.policy} />
        </KeyValue>
        <KeyValue name={t.separationOfDuties}>
          <Duties shown={shown} expired={expired} />
        </KeyValue>
        <KeyValue name={t.approvalsNeeded}>
          {t.approvalsOf({
            pending: String(shown.status === 'pending'),
            approvalsSoFar,
            quorum,
            group,
            shown: shownText,
            escalated: String(escalationLevel > 0),
            stagesList: () => <StagesList stages={shown.stages} />,
          })}
        </KeyValue>
        <ClockLines clock={shown.clock} />
        <KeyValue name={t.members}>
          {groupMembers.length === 0 ? t.none : <Names>{groupMembers.map((member) => member.displayName)}</Names>}
          <Delegates shown={shown} />
        </KeyValue>
        {can('input:manage') && (
          <KeyValue name={t.notifiedByMail}>
            <NotifiedByMail shown={shown} />
          </KeyValue>
        )}
        {votes.length > 0 && shown.status === 'pending' && (
          <KeyValue name={t.decisionsSoFar}>
            <ul className="flex flex-col gap-1">
              {votes.map((vote) => (
                <li key={vote.auditId}>
                  <ShownText>{vote.by.displayName}</ShownText>
                  {vote.onBehalfOf !== undefined &&
                    t.asDelegateOf({ onBehalfOf: vote.onBehalfOf.displayName, shown: shownText })}
                  : {DECIDED[vote.decision]}, <Time at={vote.at} show="relative" />.{' '}
                  <span className="text-ink-2">
                    <ShownText>{vote.reason}</ShownText>
                  </span>
                </li>
              ))}
            </ul>
          </KeyValue>
        )}
      </KeyValues>
    </CustodySection>
  )
}

/** The people who can decide in the place of members. */
function Delegates({ shown: { delegates } }: { shown: Approval }) {
  if (delegates.length === 0) return null
  return (
    <ul className="flex flex-col text-ink-2">
      {delegates.map(({ by, onBehalfOf }) => (
        <li key={`${by.id} ${onBehalfOf.id}`}>
          {t.asThe({ by: by.displayName, shown: shownText, onBehalfOf: onBehalfOf.displayName })}
        </li>
      ))}
    </ul>
  )
}

function Policy({ policy }: { policy: Approval['presentation']['policy'] }) {
  if (policy === null) return t.changesOfThisKind
  return (
    <span className="flex flex-col gap-1">
      <span>
        {t.vRule({
          policy: policy.name,
          shown: shownText,
          // Version 0 marks the rules of a manifest, which are named after its tools.
          stored: String(policy.version > 0),
          version: policy.version,
          rule: policy.version > 0 ? policy.rule : policy.rule.replace(/^manifest\./, ''),
          code: (content) => <code className="font-mono text-dense">{content}</code>,
        })}
      </span>
      {policy.message !== null && <ShownText>{policy.message}</ShownText>}
      {policy.words !== undefined && <ShownText>{policy.words}</ShownText>}
      {policy.source !== null && <Source source={policy.source} folded={policy.words !== undefined} />}
    </span>
  )
}

/** Folded below a sentence that says the same. */
function Source({ source, folded }: { source: string; folded: boolean }) {
  const lines = source.split('\n').length
  const text = (
    <pre className="wrap-anywhere whitespace-pre-wrap border border-line bg-sunken p-2 font-mono text-dense">
      <ShownText>{source}</ShownText>
    </pre>
  )
  if (!folded) return text
  return (
    <details>
      <summary className="text-link inline-flex min-h-6 cursor-pointer items-center">{t.ruleSource({ lines })}</summary>
      {text}
    </details>
  )
}

type DutiesProps = { shown: Approval; expired: boolean }

function Duties({ shown: { status, blocked, mayReject, standsInFor }, expired }: DutiesProps) {
  if (expired) return t.requestHasExpiredAnd
  if (status !== 'pending') return t.anyoneWhoCausedRequest({ decided: String(status !== 'canceled') })
  if (blocked === null)
    return (
      <Verdict
        tag={
          <Tag tone="ok" icon={<Tick />}>
            {t.youCanDecide}
          </Tag>
        }
      >
        {t.whyYouCan({
          delegate: String(standsInFor !== undefined),
          name: standsInFor?.displayName ?? '',
          shown: shownText,
        })}
      </Verdict>
    )
  return (
    <Verdict
      tag={
        <Tag tone="warn" icon={<Barred />}>
          {mayReject ? t.youCanOnlyReject : t.youCantDecide}
        </Tag>
      }
    >
      <ShownText>{failureText(blocked)}</ShownText>
    </Verdict>
  )
}

const Verdict = ({ tag, children }: { tag: ReactNode; children: ReactNode }) => (
  <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
    {tag}
    <span>{children}</span>
  </span>
)

const Tick = () => (
  <Glyph>
    <circle cx="8" cy="8" r="5.75" />
    <path d="m5.4 8.2 1.9 1.9 3.4-3.9" />
  </Glyph>
)

const Barred = () => (
  <Glyph>
    <circle cx="8" cy="8" r="5.75" />
    <path d="m4 4 8 8" strokeLinecap="butt" />
  </Glyph>
)
