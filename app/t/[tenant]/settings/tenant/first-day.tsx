'use client'

import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { accessPath, newAgentPath, newPolicyPath, policiesPath, settingsPath } from '#lib/paths.ts'
import { useTRPC } from '#lib/trpc.ts'

type Step = { key: string; done: boolean | undefined; title: string; why: string; href: string; act: string }

/**
 * What an organisation needs before its agents can work, until all of it is there. Shown to those who can set it up, above `children`,
 * which appear with it, so that nothing moves them.
 */
export function AfterFirstDay({ children }: { children: ReactNode }) {
  const { steps, failed } = useSteps()
  const complete = steps.every(({ done }) => done !== undefined)
  // Once they are shown, forms stay: what is typed into them must not be lost when a later read fails.
  const [shown, setShown] = useState(false)
  if (!shown && (complete || failed)) setShown(true)
  if (!shown) return <Skeleton label={t.loadingSettings} rows={12} />
  const open = steps.filter(({ done }) => done === false)
  return (
    <>
      {complete && open.length > 0 && <FirstDay steps={steps} open={open.length} />}
      {children}
    </>
  )
}

function FirstDay({ steps, open }: { steps: readonly Step[]; open: number }) {
  return (
    <Section title={t.firstDay}>
      <p className="text-ink-2">{t.stepsDone({ done: String(steps.length - open), all: String(steps.length) })}</p>
      <ol className="border-line border-b">
        {steps.map(({ key, done, title, why, href, act }) => (
          <li
            key={key}
            className="grid grid-cols-1 items-baseline gap-x-6 gap-y-1 border-line border-t py-2 narrow:grid-cols-[6rem_minmax(0,1fr)_auto]"
          >
            <StatusShape status={done === true ? 'approved' : 'pending'} label={done === true ? t.done : t.open} />
            <span className="flex flex-col">
              <span className="font-semibold">{title}</span>
              <span className="text-dense text-ink-2">{why}</span>
            </span>
            {done !== true && (
              <Link href={href} prefetch={false} className="text-link inline-flex min-h-6 items-center">
                {act}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function useSteps(): { steps: Step[]; failed: boolean } {
  const { tenant } = useSession()
  const trpc = useTRPC()
  const passkeys = useQuery(trpc.passkeys.list.queryOptions({}))
  const members = useQuery(trpc.members.list.queryOptions({ limit: 200 }))
  const groups = useQuery(trpc.groups.list.queryOptions({ limit: 200 }))
  const agents = useQuery(trpc.agents.list.queryOptions({ limit: 1 }))
  const bindings = useQuery(trpc.policyBindings.list.queryOptions({ status: 'active', limit: 1 }))
  const channels = useQuery(trpc.notifications.listChannels.queryOptions({}))
  const admins = members.data?.items.filter(
    ({ status, roles, kind }) => status === 'active' && kind === 'person' && roles.includes('tenant_admin'),
  )
  // Where the accounts are elsewhere, no one is invited here.
  const provider = members.data?.accounts?.provider
  const failed = [passkeys, members, groups, agents, bindings, channels].some(
    ({ data, error }) => data === undefined && error !== null,
  )
  const steps: Step[] = [
    {
      key: 'passkey',
      done: passkeys.data && passkeys.data.items.length > 0,
      title: t.registerYourPasskey,
      why: t.itProvesThatIt,
      href: settingsPath(tenant, 'me'),
      act: t.yourSettings,
    },
    {
      key: 'admin',
      done: admins && admins.length > 1,
      title:
        provider == null ? t.inviteSecondAdministrator : t.secondAdministratorFrom({ host: new URL(provider).host }),
      why: t.weakerRulesAndRoles,
      href: accessPath(tenant, 'members'),
      act: t.members,
    },
    {
      key: 'group',
      done: groups.data?.items.some(({ members: people }) => people.length > 1),
      title: t.fillApproverGroupWith,
      why: t.requestsWaitForGroup,
      href: accessPath(tenant, 'groups'),
      act: t.approverGroups,
    },
    {
      key: 'agent',
      done: agents.data && agents.data.items.length > 0,
      title: t.registerAgent,
      why: t.itsManifestSaysWhich,
      href: newAgentPath(tenant),
      act: t.registerAgent,
    },
    {
      key: 'policy',
      done: bindings.data && bindings.data.items.length > 0,
      title: t.bindPolicy,
      why: t.withoutBoundPolicyNo,
      href: agents.data && agents.data.items.length > 0 ? policiesPath(tenant) : newPolicyPath(tenant),
      act: t.policies,
    },
    {
      key: 'channel',
      done: channels.data && channels.data.items.length > 0,
      title: t.chooseWhereRequestsAre,
      why: t.webhookSlackTeamsOr,
      href: settingsPath(tenant, 'notifications'),
      act: t.notifications,
    },
  ]
  return { steps, failed }
}
