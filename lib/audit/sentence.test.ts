import { expect, test } from 'vitest'
import { actionLabel, auditSentence } from './sentence.ts'
import { auditSentences } from './sentences.ts'

const jonas = { type: 'person', name: 'Jonas Weber' }
const said = (type: string, resource: string, name?: string, actor = jonas) =>
  auditSentence({ type, actor, resource: { type: resource, id: 'x' }, name })

test('a record is a sentence with the names of its actor and its object', () => {
  expect(said('approval.approve', 'approval', 'refund of €4,200.00 for A-1001')).toBe(
    'Jonas Weber approved the refund of €4,200.00 for A-1001',
  )
  expect(said('agent.suspended', 'agent', 'Refund assistant')).toBe('Jonas Weber suspended Refund assistant')
  expect(said('service_account.disabled', 'service_account')).toBe('Jonas Weber disabled the service account x')
  expect(said('execution.succeeded', 'execution', 'Refunds', { type: 'agent', name: 'Refunds' })).toBe(
    'Refunds completed an execution',
  )
})

test('an object whose name is not known is called by its kind', () => {
  expect(said('approval.approve', 'approval')).toBe('Jonas Weber approved a request')
  expect(said('group.members_set', 'group')).toBe('Jonas Weber changed the members of an approver group')
})

test('a refused operation says what was tried', () => {
  expect(said('approval.approve.refused', 'approval', 'refund of €5.00')).toBe(
    'Jonas Weber tried to approve the refund of €5.00, and was refused',
  )
})

test('a tool that refuses a call is not a refused operation', () => {
  expect(said('tool.refused', 'execution', 'Refunds', { type: 'agent', name: 'Refunds' })).toBe(
    'Refunds was refused a tool in an execution',
  )
  expect(actionLabel('agent.called')).toBe('Called another agent in an execution')
})

test('an action without a sentence is said by its own words', () => {
  expect(said('teapot.boiled_over', 'tea_pot')).toBe('Jonas Weber: teapot boiled over, tea pot')
  expect(said('teapot.boiled_over.refused', 'tea_pot')).toBe(
    'Jonas Weber: teapot boiled over, tea pot, and was refused',
  )
  expect(said('constructor', 'constructor')).toBe('Jonas Weber: constructor, constructor')
})

test('placeholders in a name stay text', () => {
  expect(said('agent.suspended', 'agent', '{actor}')).toBe('Jonas Weber suspended {actor}')
})

test('an action is an option of a filter', () => {
  expect(actionLabel('approval.asked')).toBe('Asked the requester about a request')
  expect(actionLabel('tool.called')).toBe('Called a tool in an execution')
  expect(actionLabel('teapot.boiled')).toBe('Teapot boiled, teapot')
  expect(actionLabel('agent.retired.refused')).toBe('Tried to retire an agent, and was refused')
  const labels = Object.keys(auditSentences).map(actionLabel)
  expect(labels.filter((label) => /[{}]/.test(label))).toEqual([])
})
