import { expect, test } from 'vitest'
import * as t from '#components/texts/passkeys/en.ts'
import { notGiven } from './ceremony.ts'

const refusedBy = (name: string) => Object.assign(new Error('The operation was not allowed.'), { name })

test('a device that already has a passkey is not asked again: another device, or the old passkey goes', () => {
  const { message, advice } = notGiven('create', refusedBy('InvalidStateError'))
  expect([message, advice]).toEqual([t.youAlreadyHavePasskey, t.useAnotherDevice])
})

test('a passkey that was not created was not to be confirmed, and the check of the person may be why', () => {
  const { message, advice } = notGiven('create', refusedBy('NotAllowedError'))
  expect([message, advice]).toEqual([t.yourDeviceCreatedNone, t.addItAgain])
  expect(message).toContain('PIN, fingerprint or face')
})

test('a signature that was not given has the advice of its code', () => {
  expect(notGiven('sign', refusedBy('NotAllowedError')).advice).toBeUndefined()
})
