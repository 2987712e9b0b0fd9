// Runs until the process ends or Cedar traps.
import { parentPort } from 'node:worker_threads'
import { tellThread } from '#server/kernel/threads/thread-time.ts'
import { describeRule } from './describe-rule.ts'
import type { Answer, Question } from './engine.ts'
import { evaluateSlice, findSet, loadSet, sliceOf } from './rule-sets.ts'
import { settle } from './soft-forbid.ts'

function answer(question: Question): Answer {
  const { key, texts } = question.set
  const set = texts === undefined ? findSet(key) : loadSet(key, texts)
  if (set === undefined) return 'unknown_set'
  if ('describes' in question) return { described: set.rules?.map(describeRule) ?? [] }
  const { reads, request, grants, misfit } = question
  if (reads === true) return 'read'
  if (set.rules === undefined) return { effect: 'deny', because: 'policy_error', rules: [] }
  const slice = sliceOf(set, request)
  // The arguments did not fit their types and were left out, so a rule that reads them cannot be evaluated correctly.
  const { policies } = slice
  if (misfit && slice.readsArguments) return { effect: 'deny', because: 'arguments_misfit', policies }
  return { ...settle(grants, set.policiesOf, (fulfilled) => evaluateSlice(slice, request, fulfilled)), policies }
}

tellThread()
parentPort?.on('message', (text: string) => {
  const questions: Question[] = JSON.parse(text)
  parentPort?.postMessage(JSON.stringify(questions.map(answer)))
})
