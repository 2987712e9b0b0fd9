import { z } from 'zod'
import { Actor, Id, Reason, Time } from '../common.ts'

/** A reviewer's question about a request; `answer` is null until someone who made the request has given one. */
export const Question = z.object({
  id: Id,
  by: Actor,
  question: z.string(),
  at: Time,
  auditId: Id,
  answer: z.object({ by: Actor, text: z.string(), at: Time, auditId: Id }).nullable(),
})

export const AskInput = z.strictObject({ approvalId: Id, question: Reason })
export const AskOutput = z.object({ questionId: Id, auditId: Id })
export const AnswerInput = z.strictObject({ approvalId: Id, questionId: Id, answer: Reason })
export const AnswerOutput = z.object({ questionId: Id, auditId: Id })
