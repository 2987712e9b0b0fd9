import { isLive } from '#components/executions/execution-status.tsx'
import * as t from '#components/texts/executions/en.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'

/** The most executions that can be canceled together. */
export const mostTogether = 25

/** Whether the execution can still be canceled. */
export const isCancelable = ({ status, stopRequestedAt }: Pick<ExecutionSummary, 'status' | 'stopRequestedAt'>) =>
  isLive(status) && stopRequestedAt === null

/** Why these executions can't be canceled together; undefined if they can. */
export const whyNotTogether = (count: number): string | undefined =>
  count === 0 ? t.selectExecutionsFirst : count > mostTogether ? t.atMostExecutionsCan({ mostTogether }) : undefined
