import type { Answers } from '#lib/trpc.ts'

type Pending = NonNullable<Answers['tenants']['getSettings']['pending']>

const shown = ['retentionDays', 'archiveRetentionDays']

/** The part of a requested change of settings that concerns retention, if there is one. */
export function pendingRetention(pending: Pending | null): Pending | undefined {
  const changes = pending?.changes.filter(({ name }) => shown.includes(name)) ?? []
  return pending === null || changes.length === 0 ? undefined : { ...pending, changes }
}
