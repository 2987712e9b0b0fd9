'use client'

import { useContext } from 'react'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useFirstAnswer } from '#components/api/use-first-answer.ts'
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
  return useDrawn(useQuery(trpc.home.now.queryOptions()))
}

/** Decisions, executions, cost and budgets of two weeks, in days of the chosen zone. */
export function useFigures() {
  const trpc = useTRPC()
  const timeZone = useContext(TimeZoneContext)
  useChanges(['approvals', 'executions'], figuresMs)
  return useDrawn(useQuery(trpc.home.figures.queryOptions({ timeZone })))
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
  return useDrawn(useQuery(trpc.home.changes.queryOptions({ timeZone })))
}

type Query = { data: unknown; error: unknown; refetch: unknown }

/** All parts of the page are in one response, and would be drawn at once. */
function useDrawn<Q extends Query>({ data, error, refetch }: Q): Pick<Q, keyof Query> {
  return { data: useFirstAnswer(data), error, refetch }
}
