'use client'

import Link from 'next/link'
import { SourceView } from '#components/code/source-view.tsx'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ShownText } from '#components/ui/shown-text.tsx'
import { StatusShape } from '#components/ui/status-shape.tsx'
import { TabLinks } from '#components/ui/tab-links.tsx'
import { Time } from '#components/ui/time.tsx'
import { policyPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'

type PolicyDetail = Answers['policies']['get']

/** The source of one version: the one in the address, else the published one, else the newest draft. */
export function VersionSource({ policy, wanted }: { policy: PolicyDetail; wanted: number }) {
  const { tenant } = useSession()
  const { versions, latestPublishedVersion } = policy
  const shown =
    versions.find(({ version }) => version === wanted) ??
    versions.find(({ version }) => version === latestPublishedVersion) ??
    versions[0]
  if (shown === undefined)
    return (
      <EmptyState title="It has no version yet.">
        A version is added and published through the API (POST /v1/policies/{policy.id}/versions).
      </EmptyState>
    )
  return (
    <>
      {versions.length > 1 && (
        <TabLinks
          label="Versions"
          link={Link}
          tabs={versions.map(({ version }) => ({
            href: policyPath(tenant, policy.id, { version }),
            label: `Version ${version}`,
            current: version === shown.version,
          }))}
        />
      )}
      <p className="flex flex-wrap items-center gap-x-4">
        {shown.status === 'published' ? (
          <StatusShape status="approved" label="Published" />
        ) : (
          <StatusShape status="pending" label="Draft" />
        )}
        <span>
          Version {shown.version} by <ShownText>{shown.createdBy.displayName}</ShownText>{' '}
          <Time at={shown.publishedAt ?? shown.createdAt} show="relative" />
        </span>
        <span>
          SHA-256 <ShortDigest digest={shown.digest} of={`version ${shown.version}`} />
        </span>
      </p>
      <SourceView source={shown.source} label={`Source of version ${shown.version}`} />
    </>
  )
}
