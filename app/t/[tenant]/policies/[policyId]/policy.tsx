'use client'

import { useParams, useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
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

/** While the socket is down, in milliseconds. */
const refreshMs = 10_000

/** Shows one policy: the rules of a version in words, whom they reach, what they decided, and how versions differ. */
export function Policy() {
  const { policyId } = useParams<{ policyId: string }>()
  return (
    <Permitted permission="policy:read" act={t.seePolicies} title={t.policy}>
      <OnePolicy key={policyId} id={policyId} />
    </Permitted>
  )
}

function OnePolicy({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const wanted = Number(useSearchParams().get('version') ?? Number.NaN)
  // What is read, and proposed from here, stays the same version when another one is published.
  const [first, setFirst] = useState<number>()
  const { data: policy, error, refetch } = useQuery(trpc.policies.get.queryOptions({ id }))
  useChanges(['policies', 'policyBindings'], refreshMs)
  const crumbs = [{ label: t.policies, href: policiesPath(tenant) }]
  const shownId = <Copyable value={id} label={t.policyId} shorten="middle" />
  if (policy === undefined)
    return (
      <Page>
        <PageHeader title={t.policy} crumbs={crumbs} id={shownId} />
        {error === null ? (
          <Skeleton label={t.loadingPolicy} rows={10} />
        ) : (
          <RequestFailed
            error={error}
            what={t.thePolicy}
            act={t.seePolicies}
            permission="policy:read"
            retry={() => void refetch()}
          />
        )}
      </Page>
    )
  const named = policy.versions.some(({ version }) => version === wanted)
  const shown = shownVersion(policy, named ? wanted : first)
  if (!named && first === undefined && shown !== undefined) setFirst(shown.version)
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
                ? t.notPublishedYet
                : t.publishedVersion({ latestPublishedVersion: policy.latestPublishedVersion })}
            </span>
            <span>
              {t.createdByTime({
                createdBy: policy.createdBy.displayName,
                shown: shownText,
                at: () => <Time at={policy.createdAt} show="relative" />,
              })}
            </span>
          </>
        }
        action={
          shown === undefined ? (
            <ActionLink href={editPolicyPath(tenant, policy.id)} permission="policy:author">
              {t.writeFirstVersion}
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
          <Section title={t.rules}>
            <Rules policyId={policy.id} version={shown.version} />
          </Section>
          <Section title={t.agentsThatRulesReach}>
            <Reach policyId={policy.id} version={shown.version} />
          </Section>
          {policy.versions.length > 1 && (
            <Section title={t.differencesBetweenVersions}>
              <VersionDiff policyId={policy.id} versions={policy.versions} shown={shown} />
            </Section>
          )}
          <Section title={t.wholeText}>
            <VersionSource shown={shown} />
          </Section>
          <Section title={t.simulateVersion({ version: shown.version })}>
            <Simulate policyId={policy.id} version={shown.version} />
          </Section>
        </>
      )}
      <Section title={t.bindings}>
        <WhereBound policyId={policy.id} />
      </Section>
      {policy.versions.some(({ source }) => source.includes('@budget_limit')) && (
        <Section title={t.budgets}>
          <Budgets policyId={policy.id} />
        </Section>
      )}
      <Section title={t.recentMatches}>
        <Recent policyId={policy.id} />
      </Section>
    </Page>
  )
}
