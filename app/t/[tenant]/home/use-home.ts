'use client'

import { useContext } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import type { Topic } from '#lib/rules/changes.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Polling intervals while the socket is down, in milliseconds. */
const refreshMs = 10_000
const figuresMs = 30_000

/** What needs the person, and how much is under way. */
export function useNow() {
  const trpc = useTRPC()
  useChanges(['approvals', 'executions'], refreshMs)
  return useQuery(trpc.home.now.queryOptions())
}

/** Decisions, executions, cost and budgets of two weeks, in days of the chosen zone. */
export function useFigures() {
  const trpc = useTRPC()
  const timeZone = useContext(TimeZoneContext)
  useChanges(['approvals', 'executions'], figuresMs)
  return useQuery(trpc.home.figures.queryOptions({ timeZone }))
}

const changing: readonly Topic[] = [
  'agents',
  'connectionTokens',
  'groups',
  'holds',
  'members',
  'policies',
  'policyBindings',
  'releases',
  'secrets',
  'serviceAccounts',
  'tenants',
]

/** What changed since yesterday. */
export function useHomeChanges() {
  const trpc = useTRPC()
  const timeZone = useContext(TimeZoneContext)
  useChanges(changing, figuresMs)
  return useQuery(trpc.home.changes.queryOptions({ timeZone }))
}
