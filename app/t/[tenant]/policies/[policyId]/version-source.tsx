'use client'

import Link from 'next/link'
import { SourceView } from '#components/code/source-view.tsx'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { editPolicyPath, policyPath } from '#lib/paths.ts'
import type { PolicyVersion } from '#lib/schemas/policies.ts'
import type { Answers } from '#lib/trpc.ts'
import { Propose } from './propose.tsx'
import { Publish } from './publish.tsx'

type PolicyDetail = Answers['policies']['get']

/** Returns the version in the address, else the published version, else the newest draft. */
export const shownVersion = ({ versions, latestPublishedVersion }: PolicyDetail, wanted: number | undefined) =>
  versions.find(({ version }) => version === wanted) ??
  versions.find(({ version }) => version === latestPublishedVersion) ??
  versions[0]

/** Shows which version is open, with its actions, and leads to the others. */
export function VersionHead({ policy, shown }: { policy: PolicyDetail; shown: PolicyVersion | undefined }) {
  const { tenant } = useSession()
  const { versions } = policy
  if (shown === undefined) return <EmptyState title={t.noVersionsYet}>{t.writeFirstVersionIn}</EmptyState>
  return (
    <>
      {versions.length > 1 && (
        <TabLinks
          label={t.versions}
          link={Link}
          tabs={versions.map(({ version }) => ({
            href: policyPath(tenant, policy.id, { version }),
            label: t.version({ version }),
            current: version === shown.version,
          }))}
        />
      )}
      <p className="flex flex-wrap items-center gap-x-4">
        {shown.status === 'published' ? (
          <StatusShape status="approved" label={t.published} />
        ) : (
          <StatusShape status="pending" label={t.draft} />
        )}
        <span>
          {t.versionByTime({
            version: shown.version,
            createdBy: shown.createdBy.displayName,
            shown: shownText,
            at: () => <Time at={shown.publishedAt ?? shown.createdAt} show="relative" />,
          })}
        </span>
        <span>
          {t.sha256Shortdigest({
            shortDigest: () => <ShortDigest digest={shown.digest} of={t.versionNamed({ version: shown.version })} />,
          })}
        </span>
      </p>
      <div className="flex flex-wrap items-start gap-3">
        <ActionLink
          href={editPolicyPath(tenant, policy.id, { version: shown.version })}
          permission="policy:author"
          variant="secondary"
        >
          {t.editVersionAsNew({ version: shown.version })}
        </ActionLink>
        <Publish key={shown.version} version={shown} />
        <Propose version={shown} />
      </div>
    </>
  )
}

/** The whole text of a version, with comments, folded. */
export function VersionSource({ shown }: { shown: PolicyVersion }) {
  return (
    <details>
      <summary className="min-h-6 cursor-pointer text-ink-2">
        {t.linesOfCedar({ lines: shown.source.trimEnd().split('\n').length })}
      </summary>
      <SourceView source={shown.source} label={t.sourceOfVersion({ version: shown.version })} />
    </details>
  )
}
