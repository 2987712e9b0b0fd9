import * as t from '#components/texts/requests/en.ts'

/** Returns why a mail was not delivered: the server's message, except for errors that an operator can fix. */
export const mailErrorText = (error: string): string => (error === 'not configured' ? t.mailIsNotSet : error)
