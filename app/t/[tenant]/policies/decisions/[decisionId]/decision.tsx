'use client'

import Link from 'next/link'
import { useParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { obligationText } from '#components/policies/obligation-text.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, executionPath, policiesPath, policyPath } from '#lib/paths.ts'
import { type Answers, toFailure, useTRPC } from '#lib/trpc.ts'
import { Recomputed } from './recomputed.tsx'

type Answer = Answers['policies']['recompute']

/** Shows one policy decision: the request, the result with its reasons, and whether a recomputation is identical. */
export function Decision() {
  const { decisionId } = useParams<{ decisionId: string }>()
  return (
    <Permitted permission="policy:read" act={t.seePolicyDecisions} title={t.policyDecision}>
      <OneDecision key={decisionId} id={decisionId} />
    </Permitted>
  )
}

function OneDecision({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.policies.recompute.queryOptions({ decisionId: id }))
  const header = {
    crumbs: [{ label: t.policies, href: policiesPath(tenant) }],
    id: <Copyable value={id} label={t.decisionId} shorten="middle" />,
  }
  if (data === undefined)
    return (
      <Page>
        <PageHeader title={t.policyDecision} {...header} />
        {error === null ? (
          <Skeleton label={t.loadingDecision} rows={8} />
        ) : toFailure(error).code === 'conflict' ? (
          <EmptyState title={t.decisionIsNotStored}>{t.decisionIsNotStoredAbout}</EmptyState>
        ) : (
          <RequestFailed
            error={error}
            what={t.theDecision}
            act={t.seePolicyDecisions}
            permission="policy:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page>
      <PageHeader
        title={t.decisionOn({ resource: data.resource, shown: shownText })}
        {...header}
        facts={<Facts answer={data} />}
      />
      <Section title={t.why}>
        <Reasons reasons={data.recorded.reasons} />
      </Section>
      <Section title={t.details}>
        <What answer={data} />
      </Section>
      <Section title={t.recomputed}>
        <Recomputed answer={data} />
      </Section>
    </Page>
  )
}

function Facts({ answer: { recorded, agentId, agentName, environment, decidedAt } }: { answer: Answer }) {
  const { tenant } = useSession()
  return (
    <>
      <EffectShape effect={recorded.effect} />
      <span>
        {t.agentIn({
          agentName,
          shown: shownText,
          link: (content) => (
            <Link href={agentPath(tenant, agentId)} prefetch={false} className="text-link font-semibold">
              {content}
            </Link>
          ),
          environment,
        })}
      </span>
      <Time at={decidedAt} show="both" />
    </>
  )
}

function What({ answer: { action, executionId, stepId, recorded } }: { answer: Answer }) {
  const { tenant } = useSession()
  return (
    <KeyValues>
      <KeyValue name={t.action}>
        <ShownText>{actionWords(action)}</ShownText>
      </KeyValue>
      <KeyValue name={t.requestedBy}>
        {executionId === null ? (
          t.anExternal
        ) : (
          <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
            {t.stepOfExecution({ stepId: stepId ?? '', shown: shownText })}
          </Link>
        )}
      </KeyValue>
      <KeyValue name={t.obligations}>
        {recorded.obligations.length === 0 ? (
          t.none
        ) : (
          <ul className="flex flex-col gap-1">
            {recorded.obligations.map(obligationText).map((text) => (
              <li key={text}>
                <ShownText>{text}</ShownText>
              </li>
            ))}
          </ul>
        )}
      </KeyValue>
      <KeyValue name={t.policiesInForce}>
        {recorded.policies.length === 0 ? (
          t.none
        ) : (
          <ul className="flex flex-col gap-1">
            {recorded.policies.map(({ policyId, name, version, digest }) => (
              <li key={`${policyId} ${version}`} className="flex flex-wrap items-center gap-x-3">
                {version === 0 ? (
                  <ShownText>{name}</ShownText>
                ) : (
                  <Link href={policyPath(tenant, policyId, { version })} prefetch={false} className="text-link">
                    {t.shownVersion({ name, shown: shownText, version })}
                  </Link>
                )}
                <ShortDigest digest={digest} of={t.namedVersion({ name, version })} />
              </li>
            ))}
          </ul>
        )}
      </KeyValue>
      <KeyValue name={t.requestSha256}>
        <ShortDigest digest={recorded.inputDigest} of={t.theRequest} />
      </KeyValue>
    </KeyValues>
  )
}

/** Returns `ToolCall` as "Tool call". An action that names a tool is returned unchanged. */
const actionWords = (action: string): string =>
  /^([A-Z][a-z]+)+$/.test(action) ? action.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : action
