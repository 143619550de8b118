export class BadOptions extends Error {
  override readonly name = 'BadOptions'
  readonly code = 'badOption'
  /** All problems of the options, one sentence each. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}
