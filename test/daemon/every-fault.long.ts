import { describe } from 'vitest'
import { everyFault, everyReadUnder, liars } from './every-fault.ts'

describe('of 4 super validators with one at fault', () => {
  everyReadUnder({ n: 4, faulty: ['sv-3'], faults: everyFault, oneIn: 1 })
})

describe('of 13 super validators with four at fault', () => {
  everyReadUnder({ n: 13, faulty: liars, faults: everyFault, oneIn: 1 })
})
