/** Nothing is signed while a process of an older version, which signs too, is connected. It ends by itself: try again later. */
export class SigningWaits extends Error {
  override readonly name = 'SigningWaits'
  override readonly message =
    'The audit log is not signed while a process of an older version is connected to the database.'
}
