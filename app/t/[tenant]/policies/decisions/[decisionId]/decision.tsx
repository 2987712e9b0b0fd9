'use client'

import Link from 'next/link'
import { useParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { EffectShape, Reasons } from '#components/policies/effect.tsx'
import { obligationText } from '#components/policies/obligation-text.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { agentPath, executionPath, policiesPath, policyPath } from '#lib/paths.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'
import { Recomputed } from './recomputed.tsx'

type Answer = Answers['policies']['recompute']

/** Shows one policy decision: the request, the result with its reasons, and whether a recomputation is identical. */
export function Decision() {
  const { decisionId } = useParams<{ decisionId: string }>()
  return (
    <Permitted permission="policy:read" act="see policy decisions" title="Policy decision">
      <OneDecision key={decisionId} id={decisionId} />
    </Permitted>
  )
}

function OneDecision({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.policies.recompute.queryOptions({ decisionId: id }))
  const header = {
    crumbs: [{ label: 'Policies', href: policiesPath(tenant) }],
    id: <Copyable value={id} label="decision ID" shorten="middle" />,
  }
  if (data === undefined)
    return (
      <Page>
        <PageHeader title="Policy decision" {...header} />
        {error === null ? (
          <Skeleton label="Loading the decision…" rows={8} />
        ) : (
          <RequestFailed
            error={error}
            what="The decision"
            act="see policy decisions"
            permission="policy:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page>
      <PageHeader
        title={
          <>
            Decision on <ShownText>{data.resource}</ShownText>
          </>
        }
        {...header}
        facts={<Facts answer={data} />}
      />
      <Section title="Why">
        <Reasons reasons={data.recorded.reasons} />
      </Section>
      <Section title="Details">
        <What answer={data} />
      </Section>
      <Section title="Recomputed">
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
        Agent{' '}
        <Link href={agentPath(tenant, agentId)} prefetch={false} className="text-link font-semibold">
          <ShownText>{agentName}</ShownText>
        </Link>{' '}
        in {environment}
      </span>
      <Time at={decidedAt} show="both" />
    </>
  )
}

function What({ answer: { action, executionId, stepId, recorded } }: { answer: Answer }) {
  const { tenant } = useSession()
  return (
    <KeyValues>
      <KeyValue name="Action">
        <ShownText>{actionWords(action)}</ShownText>
      </KeyValue>
      <KeyValue name="Requested by">
        {executionId === null ? (
          'An external agent'
        ) : (
          <Link href={executionPath(tenant, executionId)} prefetch={false} className="text-link">
            Step <ShownText>{stepId ?? ''}</ShownText> of an execution
          </Link>
        )}
      </KeyValue>
      <KeyValue name="Obligations">
        {recorded.obligations.length === 0 ? (
          'None'
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
      <KeyValue name="Policies in force">
        {recorded.policies.length === 0 ? (
          'None'
        ) : (
          <ul className="flex flex-col gap-1">
            {recorded.policies.map(({ policyId, name, version, digest }) => (
              <li key={`${policyId} ${version}`} className="flex flex-wrap items-center gap-x-3">
                {version === 0 ? (
                  <ShownText>{name}</ShownText>
                ) : (
                  <Link href={policyPath(tenant, policyId, { version })} prefetch={false} className="text-link">
                    <ShownText>{name}</ShownText>, version {version}
                  </Link>
                )}
                <ShortDigest digest={digest} of={`${name}, version ${version}`} />
              </li>
            ))}
          </ul>
        )}
      </KeyValue>
      <KeyValue name="Request, SHA-256">
        <ShortDigest digest={recorded.inputDigest} of="the request" />
      </KeyValue>
    </KeyValues>
  )
}

/** Returns `ToolCall` as "Tool call". An action that names a tool is returned unchanged. */
const actionWords = (action: string): string =>
  /^([A-Z][a-z]+)+$/.test(action) ? action.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : action
