'use client'

import { OpenAlarms } from '#components/alarms/open-alarms.tsx'
import { PageHeader } from '#components/layout/page.tsx'
import { ActionLink } from '#components/navigation/action-link.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { approvalPath, newExecutionPath } from '#lib/paths.ts'
import { BudgetList } from './budget-list.tsx'
import { ChangeList } from './change-list.tsx'
import { Figures } from './figures.tsx'
import { Lead } from './lead.tsx'
import { NeedsPerson } from './needs-person.tsx'
import { OfferDemo } from './offer-demo.tsx'
import { RunningNow } from './running-now.tsx'
import { TodaysLog } from './todays-log.tsx'
import { Ungoverned } from './ungoverned.tsx'
import { useNow } from './use-home.ts'

/**
 * The start page of a tenant. Its parts are read in one request, and each fails, and is refreshed, by itself: alarms, figures of two
 * weeks, what needs the person, what runs and what is ungoverned; next to them the log and what changed.
 */
export function Home() {
  const { me, tenant, can } = useSession()
  const now = useNow()
  const first = now.data?.needs?.items[0]
  // Whether there is something to decide says where the other action is.
  const known = now.data !== undefined || now.error !== null
  return (
    <div className="flex w-full grow flex-col">
      <div className="flex flex-col gap-4 px-3 pt-4 rail:px-7">
        <PageHeader
          title={<ShownText>{me.tenant.displayName}</ShownText>}
          lead={<Lead />}
          action={
            <div className={classNames('flex flex-wrap items-start gap-2', !known && 'invisible')}>
              <ActionLink href={newExecutionPath(tenant)} permission="execution:start" variant="secondary" hotkey="n">
                {t.start}
              </ActionLink>
              {first !== undefined && (
                <ActionLink
                  href={approvalPath(tenant, first.approvalId, { view: 'needs-me' })}
                  permission="approval:decide"
                  hotkey="d"
                >
                  {t.decideFirst}
                </ActionLink>
              )}
            </div>
          }
        />
        <OfferDemo />
        {can('audit:read') && <OpenAlarms />}
        <Figures />
      </div>
      <div className="flex grow flex-col wide:grid wide:grid-cols-[minmax(0,1fr)_minmax(21rem,25rem)]">
        <div className="flex min-w-0 flex-col gap-6 px-3 pt-5 pb-12 rail:px-7">
          <NeedsPerson />
          <RunningNow />
          <Ungoverned />
        </div>
        <div className="flex min-w-0 flex-col gap-6 border-line bg-surface px-3 pt-5 pb-12 max-wide:border-t wide:border-l wide:px-5 rail:max-wide:px-7">
          <Section title={t.todaysLog}>
            <TodaysLog />
          </Section>
          <BudgetList />
          <ChangeList />
        </div>
      </div>
    </div>
  )
}
