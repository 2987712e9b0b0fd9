'use client'

import { useParams, useSearchParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { editPolicyPath, policiesPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { Budgets } from './budgets.tsx'
import { Recent } from './recent.tsx'
import { Reach, Rules } from './rules.tsx'
import { Simulate } from './simulate.tsx'
import { VersionDiff } from './version-diff.tsx'
import { shownVersion, VersionHead, VersionSource } from './version-source.tsx'
import { WhereBound } from './where-bound.tsx'

/** Shows one policy: the rules of a version in words, whom they reach, what they decided, and how versions differ. */
export function Policy() {
  const { policyId } = useParams<{ policyId: string }>()
  return (
    <Permitted permission="policy:read" act="see policies" title="Policy">
      <OnePolicy key={policyId} id={policyId} />
    </Permitted>
  )
}

function OnePolicy({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const wanted = Number(useSearchParams().get('version') ?? Number.NaN)
  const { data: policy, error, refetch } = useQuery(trpc.policies.get.queryOptions({ id }))
  const crumbs = [{ label: 'Policies', href: policiesPath(tenant) }]
  const shownId = <Copyable value={id} label="policy ID" shorten="middle" />
  if (policy === undefined)
    return (
      <Page>
        <PageHeader title="Policy" crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label="Loading the policy…" rows={10} />
        ) : (
          <RequestFailed
            error={error}
            what="The policy"
            act="see policies"
            permission="policy:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  const shown = shownVersion(policy, wanted)
  return (
    <Page wide>
      <PageHeader
        title={policy.name}
        crumbs={crumbs}
        id={shownId}
        facts={
          <>
            <span>
              {policy.latestPublishedVersion === null
                ? 'Not published yet'
                : `Published version ${policy.latestPublishedVersion}`}
            </span>
            <span>
              Created by <ShownText>{policy.createdBy.displayName}</ShownText>{' '}
              <Time at={policy.createdAt} show="relative" />
            </span>
          </>
        }
        action={
          shown === undefined ? (
            <ActionLink href={editPolicyPath(tenant, policy.id)} permission="policy:author">
              Write the first version
            </ActionLink>
          ) : undefined
        }
      />
      {policy.description !== '' && (
        <p className="max-w-[75ch]">
          <ShownText>{policy.description}</ShownText>
        </p>
      )}
      <VersionHead policy={policy} shown={shown} />
      {shown !== undefined && (
        <>
          <Section title="Rules">
            <Rules policyId={policy.id} version={shown.version} />
          </Section>
          <Section title="Agents that the rules reach">
            <Reach policyId={policy.id} version={shown.version} />
          </Section>
          {policy.versions.length > 1 && (
            <Section title="Differences between versions">
              <VersionDiff policyId={policy.id} versions={policy.versions} shown={shown} />
            </Section>
          )}
          <Section title="Whole text">
            <VersionSource shown={shown} />
          </Section>
          <Section title={`Simulate version ${shown.version}`}>
            <Simulate policyId={policy.id} version={shown.version} />
          </Section>
        </>
      )}
      <Section title="Bindings">
        <WhereBound policyId={policy.id} />
      </Section>
      {policy.versions.some(({ source }) => source.includes('@budget_limit')) && (
        <Section title="Budgets">
          <Budgets policyId={policy.id} />
        </Section>
      )}
      <Section title="Recent matches">
        <Recent policyId={policy.id} />
      </Section>
    </Page>
  )
}
