'use client'

import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { APPROVAL_VIEWS, viewFromSearch } from '#components/approvals/view.ts'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { approvalsPath, grantsView } from '#lib/paths.ts'
import { DecidedList } from './decided-list.tsx'
import { StandingGrants } from './grants/standing-grants.tsx'
import { PendingInbox } from './inbox/pending-inbox.tsx'

/** The lists of approval requests. The address names the selected list. */
export function Inbox() {
  const { tenant, can } = useSession()
  const named = useSearchParams().get('view')
  const view = named === grantsView ? grantsView : viewFromSearch(named)
  return (
    <Page wide>
      <div className="thumbs contents">
        <PageHeader title={t.approvals} />
        {can('approval:list') ? (
          <>
            <TabLinks
              label={t.listsOfApprovals}
              link={Link}
              tabs={[...APPROVAL_VIEWS, { view: grantsView, label: t.standingGrants } as const].map((tab) => ({
                label: tab.label,
                href: approvalsPath(tenant, { view: tab.view }),
                current: tab.view === view,
              }))}
            />
            {/* A key per list, so that the rows of one list never appear under the tab of another. */}
            {view === grantsView ? (
              <StandingGrants />
            ) : view === 'decided' ? (
              <DecidedList />
            ) : (
              <PendingInbox key={view} view={view} />
            )}
          </>
        ) : (
          <MissingPermission act={t.seeApprovals} permission="approval:list" />
        )}
      </div>
    </Page>
  )
}
