'use client'

import { useParams, useSearchParams } from 'next/navigation'
import { useQuery } from '#components/api/query.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { isNew } from '#components/texts/page/en.ts'
import * as t from '#components/texts/policy/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { policiesPath, policyPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'
import { VersionForm } from './version-form.tsx'

/** Edits the next version of a policy, starting from the text of another version. */
export function EditPolicy() {
  const { policyId } = useParams<{ policyId: string }>()
  return (
    <Permitted permission="policy:author" act={t.writePolicies} title={t.newVersionOfPolicy}>
      <OnePolicy key={policyId} id={policyId} />
    </Permitted>
  )
}

function OnePolicy({ id }: { id: string }) {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const wanted = Number(useSearchParams().get('version') ?? Number.NaN)
  // A refetch must not replace the typed text.
  const {
    data: policy,
    error,
    refetch,
  } = useQuery(trpc.policies.get.queryOptions({ id }, { refetchOnWindowFocus: false }))
  const crumbs = [{ label: t.policies, href: policiesPath(tenant) }]
  if (policy === undefined)
    return (
      <Page wide>
        <PageHeader title={t.newVersionOfPolicy} crumbs={crumbs} />
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
  const base = policy.versions.find(({ version }) => version === wanted) ?? policy.versions[0]
  return (
    <Page wide>
      <PageHeader
        title={t.newVersionOf({ policy: policy.name })}
        crumbs={[...crumbs, { label: policy.name, href: policyPath(tenant, id) }]}
        id={isNew}
      />
      <VersionForm key={wanted} policyId={id} base={base} />
    </Page>
  )
}
