import { z } from "zod";

const MOST = 2_147_483_647;

/** A whole number that a column of PostgreSQL holds: 32 bits with a sign. */
export const Int32 = z.int().min(-MOST).max(MOST);

/** The number of a training step, of a row, of a turn: from 0, and no more than 32 bits with a sign hold. */
export const Count32 = z.int().min(0).max(MOST);
