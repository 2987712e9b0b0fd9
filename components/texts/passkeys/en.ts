import { text } from '#components/language/text.ts'

// Using a passkey.

export const youAlreadyHavePasskey = text('You already have a passkey for this site on this device.')
export const useAnotherDevice = text('Add the passkey on another device, or remove the one of this device first.')
export const deviceNotAsked = text(
  'Your device was not asked for a passkey, because this page could not load what asks it.',
)
export const yourDeviceDidNot = text(
  'Your device did not provide a passkey: the request was canceled or timed out, the check of your PIN, fingerprint or face failed, or the device does not have a passkey for this site.',
)
export const yourDeviceCreatedNone = text(
  'Your device did not create a passkey: the request was canceled or timed out, or the check of your PIN, fingerprint or face failed.',
)
export const addItAgain = text(
  'Try again. Your device must be able to check a PIN, your fingerprint or your face; if it can’t, use another device.',
)
