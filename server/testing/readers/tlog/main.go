// Checks the log of an extracted archive with the Merkle trees and signed notes of Go's checksum database, which know nothing of
// Countersign. Usage: go run . <folder of the archive>. Prints the number of records, days and seals, or fails.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const lineBytes = 64 << 20

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: tlog <folder of the archive>"))
	}
	records, days, seals, err := check(os.Args[1])
	if err != nil {
		fail(err)
	}
	fmt.Printf("%d records, %d days, %d seals\n", records, days, seals)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func check(top string) (records, days, seals int, err error) {
	known, err := verifiers(filepath.Join(top, "data/keys/vkeys.txt"))
	if err != nil {
		return 0, 0, 0, err
	}
	paths, err := filepath.Glob(filepath.Join(top, "data/proofs/*-*.checkpoint"))
	if err != nil {
		return 0, 0, 0, err
	}
	for _, path := range paths {
		date := strings.TrimSuffix(filepath.Base(path), ".checkpoint")
		text, size, root, err := head(path, known)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("the checkpoint of %s: %w", date, err)
		}
		leaves, err := tree(filepath.Join(top, "data/proofs", date+".leaves"), size, root)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("the leaves of %s: %w", date, err)
		}
		found, err := recordsIn(filepath.Join(top, "data/audit", date+".ndjson"), leaves)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("the records of %s: %w", date, err)
		}
		sealed, err := seal(filepath.Join(top, "data/proofs", date+".seal.tlog-proof"), text, known)
		if err != nil {
			return 0, 0, 0, fmt.Errorf("the seal of %s: %w", date, err)
		}
		records, days = records+found, days+1
		if sealed {
			seals++
		}
	}
	return records, days, seals, nil
}

func verifiers(path string) (note.Verifiers, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []note.Verifier
	for _, line := range strings.Fields(string(text)) {
		one, err := note.NewVerifier(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		list = append(list, one)
	}
	return note.VerifierList(list...), nil
}

// head returns what a signed checkpoint says.
func head(path string, known note.Verifiers) (text string, size int64, root tlog.Hash, err error) {
	signed, err := os.ReadFile(path)
	if err != nil {
		return "", 0, root, err
	}
	return opened(signed, known)
}

func opened(signed []byte, known note.Verifiers) (text string, size int64, root tlog.Hash, err error) {
	opened, err := note.Open(signed, known)
	if err != nil {
		return "", 0, root, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 3 {
		return "", 0, root, errors.New("three lines are expected")
	}
	if size, err = strconv.ParseInt(lines[1], 10, 64); err != nil {
		return "", 0, root, err
	}
	root, err = tlog.ParseHash(lines[2])
	return opened.Text, size, root, err
}

// tree returns the leaf hashes of a day after comparing their root.
func tree(path string, size int64, root tlog.Hash) ([]tlog.Hash, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != size*tlog.HashSize {
		return nil, fmt.Errorf("%d bytes for %d leaves", len(data), size)
	}
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, at := range indexes {
			hashes[i] = stored[at]
		}
		return hashes, nil
	})
	leaves := make([]tlog.Hash, size)
	for i := range leaves {
		leaves[i] = tlog.Hash(data[i*tlog.HashSize : (i+1)*tlog.HashSize])
		hashes, err := tlog.StoredHashesForRecordHash(int64(i), leaves[i], reader)
		if err != nil {
			return nil, err
		}
		stored = append(stored, hashes...)
	}
	reached, err := tlog.TreeHash(size, reader)
	if err != nil {
		return nil, err
	}
	if reached != root {
		return nil, errors.New("they do not have the signed root")
	}
	return leaves, nil
}

// recordsIn compares each line's leaf with the leaf hash at its position. The leaf is canonical JSON as it is in the file.
func recordsIn(path string, leaves []tlog.Hash) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, lineBytes)
	count := 0
	for ; lines.Scan(); count++ {
		var row struct{ Leaf json.RawMessage }
		var place struct{ Seq int }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return 0, err
		}
		if err := json.Unmarshal(row.Leaf, &place); err != nil {
			return 0, err
		}
		if place.Seq >= len(leaves) || tlog.RecordHash(row.Leaf) != leaves[place.Seq] {
			return 0, fmt.Errorf("record %d is not in the tree", place.Seq)
		}
	}
	return count, lines.Err()
}

// seal checks that the day's checkpoint is in the log of closed days; false for a day that is open.
func seal(path string, text string, known note.Verifiers) (bool, error) {
	proof, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	header, signed, found := bytes.Cut(proof, []byte("\n\n"))
	if !found {
		return false, errors.New("the proof is malformed")
	}
	_, size, root, err := opened(signed, known)
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(header), "\n")
	if len(lines) < 2 {
		return false, errors.New("the proof is malformed")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return false, err
	}
	var siblings tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(hash) != tlog.HashSize {
			return false, errors.New("a hash of the proof is malformed")
		}
		siblings = append(siblings, tlog.Hash(hash))
	}
	return true, tlog.CheckRecord(siblings, size, root, index, tlog.RecordHash([]byte(text)))
}
