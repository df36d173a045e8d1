// Types of what the server answers about the collection, and of views of it. Not a part of the page.

/** Both ends included. */
type Bounds = [number, number];
type NumberField = "clues" | "guesses" | "time_ns" | "er";
type NameField = "status" | "symmetry";
/** A puzzle that is looked for. */
type FindPuzzle = { shape: string; clues: number[]; isomorphic: boolean };
type Filter = Partial<Record<NumberField, Bounds> & Record<NameField, string[]> & { file: number; find: string; puzzle: FindPuzzle }>;
type SortKey = "row" | "clues" | "status" | "guesses" | "time_ns" | "er";
type Sort = { by: SortKey; descending: boolean };
/** Which records are shown, in which order, which own columns of files (null for the first ones), and the row number of the current one. */
type View = { filter: Filter; sort: Sort; columns: string[] | null; record: number | null };

type Row = {
  row: number;
  file: number;
  puzzle: string | null;
  clues: number | null;
  status: string | null;
  guesses: number | null;
  time_ns: number | null;
  er: number | null;
  rating_end: string | null;
  symmetries: string[] | null;
  fault: string | null;
  own: string[];
};
/** `unsearched`: the records that are still to be searched for what the filter finds. */
type Rows = { total: number; rows: Row[]; unsearched: number };
type Picture = { field: string; title: string; svg: string };
type FileState = {
  id: number;
  name: string;
  format: string | null;
  kind: string | null;
  bytes: number;
  records: number;
  note: string | null;
  error: string | null;
  can_reload: boolean;
};
type CollectionState = {
  columns: string[];
  files: FileState[];
  records: number;
  is_indexed: boolean;
  solved: number;
  rated: number;
  is_rating: boolean;
  revision: number;
  error: string | null;
};
