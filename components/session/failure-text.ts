import { ofCode } from '#components/texts/failures/en.ts'
import type { Failure } from '#lib/failure.ts'

/** What a person reads of a failure: in English the message of the API, which is in English, otherwise a text for its code. */
export const failureText = ({ code, message }: Pick<Failure, 'code' | 'message'>): string => ofCode({ code, message })
