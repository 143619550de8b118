/** What a mutant is known by, wherever in its file it stands. */
export interface Known {
  readonly file: string
  /** The function, with what that is in. */
  readonly within: string
  readonly from: string
  /** Empty where the statement is left out. */
  readonly to: string
  /** Of several that are alike: which one, from 1. */
  readonly nth?: number
}

/** Mutants that no test can kill, because the program does the same with them, each with the reason. */
export interface Equivalent {
  readonly why: string
  readonly mutants: readonly Known[]
}

export const equivalents: readonly Equivalent[] = [
  {
    why: 'Nothing is found one place beyond either end of a list, and so nothing is done with it.',
    mutants: [
      { file: 'src/quorum/draw.ts', within: 'insert', from: 'at > 0', to: 'at >= 0' },
      { file: 'src/quorum/draw.ts', within: 'insert', from: 'at > 0', to: 'true' },
      {
        file: 'src/quorum/evidence.ts',
        within: 'votersWhose',
        from: 'voter < heard.length',
        to: 'voter <= heard.length',
      },
    ],
  },
  {
    why: 'An agreed list has an item, and a page has room for one: a refusal, which has none, dissents by that as well.',
    mutants: [
      { file: 'src/quorum/evidence.ts', within: 'dissenters', from: "vote.kind !== 'value'", to: 'false' },
    ],
  },
  {
    why: 'Steps are looked at only as far as what is agreed reaches.',
    mutants: [
      {
        file: 'src/quorum/evidence.ts',
        within: 'dissentersFromHistory',
        from: 'stepsOf(heard[members[0] as number]).slice(0, length)',
        to: 'stepsOf(heard[members[0] as number])',
      },
    ],
  },
  {
    why: 'Those who stand behind a history were heard, and only values have steps.',
    mutants: [
      { file: 'src/quorum/evidence.ts', within: 'stepsOf', from: "reply?.kind === 'value'", to: 'true' },
      { file: 'src/quorum/evidence.ts', within: 'stepsOf', from: 'reply?.kind', to: 'reply.kind' },
      { file: 'src/quorum/evidence.ts', within: 'stepsOf', from: '[]', to: "['mutated']", nth: 2 },
    ],
  },
  {
    why: 'The two are never equal there: keys and votes of one map differ, and what is equal was compared before.',
    mutants: [
      { file: 'src/quorum/items.ts', within: 'agreeOnItems', from: 'a.key < b.key', to: 'a.key <= b.key' },
      { file: 'src/quorum/items.ts', within: 'beats', from: 'a.later > b.later', to: 'a.later >= b.later' },
      {
        file: 'src/quorum/items.ts',
        within: 'beats',
        from: 'a.voters.length > b.voters.length',
        to: 'a.voters.length >= b.voters.length',
      },
      { file: 'src/quorum/items.ts', within: 'beats', from: 'a.vote < b.vote', to: 'a.vote <= b.vote' },
      {
        file: 'src/quorum/items.ts',
        within: 'isLonger',
        from: 'a.length > b.length',
        to: 'a.length >= b.length',
      },
      {
        file: 'src/quorum/items.ts',
        within: 'isLonger',
        from: 'a.voters.length > b.voters.length',
        to: 'a.voters.length >= b.voters.length',
      },
      {
        file: 'src/quorum/items.ts',
        within: 'isLonger',
        from: 'textOf(a) < textOf(b)',
        to: 'textOf(a) <= textOf(b)',
      },
      { file: 'src/quorum/rules.ts', within: 'byRank', from: 'a.rank < b.rank', to: 'a.rank <= b.rank' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote < b.vote', to: 'a.vote <= b.vote' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote > b.vote', to: 'a.vote >= b.vote' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote > b.vote', to: 'a.vote <= b.vote' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote > b.vote', to: 'true' },
      { file: 'src/quorum/tally.ts', within: 'bySize', from: 'a.vote > b.vote', to: 'false' },
      { file: 'src/cache/raise-book.ts', within: 'isLater', from: 'ms > otherMs', to: 'ms >= otherMs' },
    ],
  },
  {
    why: 'The list that is put into the map is the one that is there.',
    mutants: [{ file: 'src/quorum/items.ts', within: 'versionsOf', from: 'rivals.length === 0', to: 'true' }],
  },
  {
    why: 'Two beginnings of one length differ within it, so that what comes after decides nothing.',
    mutants: [
      {
        file: 'src/quorum/items.ts',
        within: 'isLonger.textOf',
        from: '(histories[voter] ?? []).slice(0, length)',
        to: 'histories[voter] ?? []',
      },
    ],
  },
  {
    why: 'Only voters that gave a history are looked up, and only steps that it has.',
    mutants: [
      { file: 'src/quorum/items.ts', within: 'isLonger.textOf', from: '[]', to: "['mutated']" },
      {
        file: 'src/quorum/items.ts',
        within: 'continued',
        from: 'histories[voter]?.[length]',
        to: 'histories[voter][length]',
      },
      {
        file: 'src/quorum/items.ts',
        within: 'endsMoment',
        from: 'histories[voters[0] as number]?.[length - 1]?.moment',
        to: 'histories[voters[0] as number]?.[length - 1].moment',
      },
      {
        file: 'src/quorum/items.ts',
        within: 'endsMoment',
        from: 'histories[voters[0] as number]?.[length - 1]?.moment',
        to: 'histories[voters[0] as number][length - 1]?.moment',
      },
      {
        file: 'src/quorum/items.ts',
        within: 'endsMoment',
        from: 'histories[voter]?.[length]?.moment',
        to: 'histories[voter][length]?.moment',
      },
    ],
  },
  {
    why: 'No voter has that name, and so it is never found there.',
    mutants: [
      { file: 'src/quorum/plan.ts', within: 'Plan.#recent', from: '[]', to: "['mutated']" },
      { file: 'src/quorum/plan.ts', within: 'Plan.woke', from: '[]', to: "['mutated']", nth: 2 },
      { file: 'src/scan/ballots.ts', within: 'Ballots.constructor', from: '[]', to: "['mutated']" },
    ],
  },
  {
    why: 'It is done for speed alone: the longer way comes to the same.',
    mutants: [
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: 'this.#needsMany = !policy.patient && policy.provable !== true && !oneIsEnough(electorate) && meets(electorate, order)',
        to: '',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: '!policy.patient && policy.provable !== true && !oneIsEnough(electorate) && meets(electorate, order)',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: '!policy.patient && policy.provable !== true && !oneIsEnough(electorate)',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: '!policy.patient && policy.provable !== true',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: '!policy.patient',
        to: 'policy.patient',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: 'policy.provable !== true',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.constructor',
        from: '!oneIsEnough(electorate)',
        to: 'oneIsEnough(electorate)',
      },
      { file: 'src/quorum/plan.ts', within: 'Plan.start', from: 'this.#needsMany', to: 'false' },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: "reply.kind === 'value' && (this.#unanimous ?? reply.vote) === reply.vote",
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: "reply.kind === 'value'",
        to: 'false',
      },
      { file: 'src/quorum/plan.ts', within: 'Plan.#isOneMoreOfTooFew', from: "'value'", to: "''" },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: '(this.#unanimous ?? reply.vote) === reply.vote',
        to: '(this.#unanimous ?? reply.vote) !== reply.vote',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: '(this.#unanimous ?? reply.vote) === reply.vote',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: 'this.#unanimous ?? reply.vote',
        to: 'this.#unanimous && reply.vote',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: 'this.#needsMany && this.#alike < this.#electorate.superValidators.threshold',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: 'this.#alike < this.#electorate.superValidators.threshold',
        to: 'false',
      },
      { file: 'src/quorum/plan.ts', within: 'Plan.#ask', from: 'voters.length === 0', to: 'false' },
      { file: 'src/quorum/plan.ts', within: 'Plan.#wanted', from: 'this.#unasked.length === 0', to: 'false' },
      {
        file: 'src/quorum/rules.ts',
        within: 'situationOf',
        from: 'versions ??= versionsOf(heard)',
        to: 'versions = versionsOf(heard)',
      },
      {
        file: 'src/quorum/rules.ts',
        within: 'situationOf',
        from: 'prefix ??= longestPrefix(electorate, historiesIn(heard))',
        to: 'prefix = longestPrefix(electorate, historiesIn(heard))',
      },
      { file: 'src/quorum/tally.ts', within: 'tally', from: 'parties.length > 1', to: 'parties.length >= 1' },
      { file: 'src/quorum/tally.ts', within: 'tally', from: 'parties.length > 1', to: 'true' },
      {
        file: 'src/scan/ballots.ts',
        within: 'Ballots.#absence',
        from: 'this.#absent ??= absentTextsOf(read, params, this.#addedAbsentTexts)',
        to: 'this.#absent = absentTextsOf(read, params, this.#addedAbsentTexts)',
      },
      { file: 'src/scan/ballots.ts', within: 'Ballots.#voteFor', from: 'rivals.length === 0', to: 'false' },
      { file: 'src/scan/judgement.ts', within: 'tryParse', from: 'isAscii(bytes)', to: 'false' },
      {
        file: 'src/scan/statement.ts',
        within: 'RefusalStatement.comparison',
        from: 'this.#comparison === undefined',
        to: 'true',
      },
      {
        file: 'src/scan/statement.ts',
        within: 'ValueStatement.comparison',
        from: 'this.#comparison ??= comparisonOf(this.#question.read, this.value)',
        to: 'this.#comparison = comparisonOf(this.#question.read, this.value)',
      },
      {
        file: 'src/scan/statement.ts',
        within: 'UnparsedValue.compare',
        from: "this.#comparing ??= this.#thread.compare(this.#question, this.bytes).then( (made) => { this.#compari ... digest(this.bytes)}`, excerpt: '' } }, )",
        to: "this.#comparing = this.#thread.compare(this.#question, this.bytes).then( (made) => { this.#compariso ... digest(this.bytes)}`, excerpt: '' } }, )",
      },
      { file: 'src/cache/answers.ts', within: 'Answers.#fly', from: 'this.#store.peeksAll', to: 'false' },
      {
        file: 'src/cache/raise-book.ts',
        within: 'RaiseBook.isCurrent',
        from: 'count === this.#current.count',
        to: 'false',
      },
    ],
  },
  {
    why: 'A voter is asked once: it is never among those counted on again.',
    mutants: [
      { file: 'src/quorum/plan.ts', within: 'Plan.reply', from: 'remove(this.#recent, voter)', to: '' },
    ],
  },
  {
    why: 'No verdict names the fault of a voter that was late.',
    mutants: [{ file: 'src/quorum/plan.ts', within: 'Plan.expire', from: "'timeout'", to: "''" }],
  },
  {
    why: 'Until a plan settles somebody is in flight, and once nobody is counted on any more everybody was asked.',
    mutants: [
      { file: 'src/quorum/plan.ts', within: 'Plan.expire', from: 'this.#closeIfDone(actions)', to: '' },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#wakeLater',
        from: 'this.#expected.length === 0',
        to: 'false',
      },
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#closeIfDone',
        from: 'this.#verdict === undefined',
        to: 'false',
      },
    ],
  },
  {
    why: 'The count of what is alike stays no number once anybody said anything else, whatever the last vote is.',
    mutants: [
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#isOneMoreOfTooFew',
        from: "reply.kind === 'value'",
        to: 'true',
        nth: 2,
      },
    ],
  },
  {
    why: 'Where all of them are needed all of them are given, in one list or another.',
    mutants: [
      {
        file: 'src/quorum/plan.ts',
        within: 'Plan.#firstUnasked',
        from: 'count < this.#unasked.length',
        to: 'count <= this.#unasked.length',
      },
    ],
  },
  {
    why: 'Only replies to reads that are agreed so have such parts.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'rules', from: "s.policy.agree === 'history'", to: 'true' },
      { file: 'src/quorum/rules.ts', within: 'rules', from: "s.policy.agree === 'items'", to: 'true' },
      {
        file: 'src/quorum/rules.ts',
        within: 'rules',
        from: "s.policy.agree === 'history'",
        to: 'true',
        nth: 2,
      },
      { file: 'src/quorum/rules.ts', within: 'valueCanWin', from: "policy.agree !== 'history'", to: 'false' },
    ],
  },
  {
    why: 'Once all were heard a beginning that wins has decided before, by the row above.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'valueCanWin', from: 's.prefix().length > 0', to: 'false' },
    ],
  },
  {
    why: 'Where there is a second there is a first.',
    mutants: [
      {
        file: 'src/quorum/rules.ts',
        within: 'largestAlone',
        from: 'first?.members.length',
        to: 'first.members.length',
      },
    ],
  },
  {
    why: 'Values come the largest first, and sorting keeps that order for those of one rank.',
    mutants: [
      { file: 'src/quorum/rules.ts', within: 'byRank', from: 'a.rank === b.rank', to: 'false' },
      {
        file: 'src/quorum/rules.ts',
        within: 'byRank',
        from: 'b.members.length - a.members.length',
        to: 'b.members.length + a.members.length',
      },
      {
        file: 'src/quorum/rules.ts',
        within: 'byRank',
        from: 'b.members.length - a.members.length',
        to: 'undefined',
      },
    ],
  },
  {
    why: 'A refusal has no rank.',
    mutants: [{ file: 'src/quorum/tally.ts', within: 'partyOf', from: "reply.kind === 'value'", to: 'true' }],
  },
  {
    why: 'Without texts that mean absence none of them is found.',
    mutants: [
      { file: 'src/scan/ballots.ts', within: 'Ballots.#absence', from: 'absent !== undefined', to: 'true' },
    ],
  },
  {
    why: 'Votes are names that nobody reads: they only have to differ.',
    mutants: [
      { file: 'src/scan/ballots.ts', within: 'Ballots.#newVote', from: 'this.#votes++', to: 'this.#votes--' },
    ],
  },
  {
    why: 'Nothing else is thrown there.',
    mutants: [
      {
        file: 'src/scan/judgement.ts',
        within: 'tryParse',
        from: 'error instanceof MisshapenJson',
        to: 'true',
      },
    ],
  },
  {
    why: 'A flight that finds something fresh loads nothing, and gives it.',
    mutants: [
      { file: 'src/cache/answers.ts', within: 'Answers.getOrLoad', from: "kept.how === 'stale'", to: 'true' },
      {
        file: 'src/cache/answers.ts',
        within: 'Answers.getOrLoad',
        from: "served.how === 'stale'",
        to: 'true',
      },
    ],
  },
  {
    why: 'To delete what is not there changes nothing.',
    mutants: [
      { file: 'src/cache/answers.ts', within: 'Answers.#fly', from: 'kept !== undefined', to: 'true' },
    ],
  },
  {
    why: 'Whoever begins a load holds it, and hears of its failure.',
    mutants: [
      {
        file: 'src/cache/flight.ts',
        within: 'Flight.constructor',
        from: 'this.#landed.catch(() => {})',
        to: '',
      },
    ],
  },
  {
    why: 'A signal aborts once.',
    mutants: [
      { file: 'src/cache/flight.ts', within: 'Flight.join', from: '{ once: true }', to: '{}' },
      { file: 'src/cache/flight.ts', within: 'Flight.join', from: 'true', to: 'false' },
    ],
  },
  {
    why: 'The form of a URL has a text at each of these places, or none that matters.',
    mutants: [
      { file: 'src/cache/redis-url.ts', within: 'parseRedisUrl', from: "''", to: "'mutated'" },
      { file: 'src/cache/redis-url.ts', within: 'parseRedisUrl', from: "''", to: "'mutated'", nth: 4 },
    ],
  },
]
